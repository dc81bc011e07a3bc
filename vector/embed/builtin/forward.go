package builtin

import "mcp-memory/vector/embed/builtin/kernel"

// pass is one run of some windows through the model: a BERT encoder (Devlin et
// al., 2019) with layer norm after each part. The windows' tokens are
// concatenated, so that weights are unpacked once for all of them; only
// attention keeps to its own window.
type pass struct {
	*model
	*scratch
	set     *kernel.Set
	windows []window
	rows    int // tokens of all windows: a row of states each
}

// run leaves the mean of each window's last hidden states in its mean. It calls
// step before every layer, which may wait; an error of step ends the pass.
func (p *pass) run(step func() error) error {
	p.fit(p)
	p.lookup()
	p.pages.read(p.rows)
	for i := range p.layers {
		if err := step(); err != nil {
			return err
		}
		p.attend(&p.layers[i])
		p.feed(&p.layers[i])
	}
	p.average()
	return nil
}

// lookup fills states with norm(word embedding + position embedding).
func (p *pass) lookup() {
	at := 0
	for _, w := range p.windows {
		p.place(at, 0, p.tokens.bos)
		for i, id := range w.ids {
			p.place(at+1+i, 1+i, id)
		}
		p.place(at+w.tokens()-1, w.tokens()-1, p.tokens.eos)
		at += w.tokens()
	}
	p.set.AddNorm(p.states, nil, p.embedNorm.weight, p.embedNorm.bias, p.hidden, p.eps)
}

// place puts the embedding of a piece that stands at a position of its window
// into row t of states.
func (p *pass) place(t, position int, id int32) {
	width := p.hidden
	row := p.states[t*width : (t+1)*width]
	p.words.row(int(id), row)
	for i, v := range p.position[position*width : (position+1)*width] {
		row[i] += v
	}
}

// attend is a layer's first part: states = norm(states + attention(states)). It
// goes by groups of heads, which do not see each other: as many as leave query,
// key and value small where the rows are many.
func (p *pass) attend(l *layer) {
	p.set.Quantize(&p.acts, p.states, p.rows, p.hidden)
	dim, group := p.hidden/p.heads, p.group()
	for head := 0; head < p.heads; head += group {
		from, to := head*dim, (head+group)*dim
		n := p.rows * group * dim
		query, key, value := p.wide[:n], p.wide[n:2*n], p.wide[2*n:3*n]
		p.product(query, l.query.outputs(from, to))
		p.product(key, l.key.outputs(from, to))
		p.product(value, l.value.outputs(from, to))
		p.mix(p.wide[3*n:4*n], query, key, value, group)
		p.collect(p.wide[3*n:4*n], from, to)
	}
	p.set.Quantize(&p.acts, p.mixed, p.rows, p.hidden)
	change := p.mixed // acts has it
	p.product(change, l.attention)
	p.set.AddNorm(p.states, change, l.attentionNorm.weight, l.attentionNorm.bias, p.hidden, p.eps)
}

// group is how many heads are attended to at once: all for as many rows as short
// windows make, fewer for more, a divisor of heads.
func (p *pass) group() int {
	group := p.heads
	for group > 1 && (group*p.rows > p.heads*passTokens || p.heads%group != 0) {
		group--
	}
	return group
}

// mix is the attention of some heads, window by window.
func (p *pass) mix(out, query, key, value []float32, heads int) {
	dim := p.hidden / p.heads
	from := 0
	for _, w := range p.windows {
		to := from + w.tokens()*heads*dim
		p.set.Attention(out[from:to], query[from:to], key[from:to], value[from:to], w.tokens(), heads, dim, &p.attention)
		from = to
	}
}

// collect puts the columns from … to of mixed together from rows of their own.
func (p *pass) collect(columns []float32, from, to int) {
	width := to - from
	for row := range p.rows {
		copy(p.mixed[row*p.hidden+from:], columns[row*width:(row+1)*width])
	}
}

// feed is a layer's second part: states = norm(states + down(GELU(up(states)))).
// Rows do not see each other here, so it goes by stretches of a full pass of
// short windows, whose inner values stay in the processor's cache.
func (p *pass) feed(l *layer) {
	const stretch = passTokens
	for first := 0; first < p.rows; first += stretch {
		rows := min(stretch, p.rows-first)
		states := p.states[first*p.hidden : (first+rows)*p.hidden]
		inner, change := p.wide[:rows*p.ffn], p.mixed[:rows*p.hidden]
		p.set.Quantize(&p.acts, states, rows, p.hidden)
		p.product(inner, l.up)
		p.set.GELU(inner)
		p.set.Quantize(&p.acts, inner, rows, p.ffn)
		p.product(change, l.down)
		p.set.AddNorm(states, change, l.outputNorm.weight, l.outputNorm.bias, p.hidden, p.eps)
	}
}

// product computes y = l·acts + bias.
func (p *pass) product(y []float32, l linear) {
	p.set.MatMul(y, l.weights, l.bias, &p.acts)
}

// average gives each window the mean of its rows, those of <s> and </s> too.
func (p *pass) average() {
	width := p.hidden
	states := p.states
	for i := range p.windows {
		w := &p.windows[i]
		w.mean = make([]float32, width)
		for range w.tokens() {
			for j, v := range states[:width] {
				w.mean[j] += v
			}
			states = states[width:]
		}
		scale := 1 / float32(w.tokens())
		for j := range w.mean {
			w.mean[j] *= scale
		}
	}
}

// outputs is the part of l that computes the outputs from … to, multiples of
// kernel.Lanes.
func (l linear) outputs(from, to int) linear {
	tiles := l.weights.In / kernel.Block * kernel.TileBytes // of kernel.Lanes outputs
	return linear{
		weights: kernel.Weights{
			Data: l.weights.Data[from/kernel.Lanes*tiles : to/kernel.Lanes*tiles],
			Out:  to - from,
			In:   l.weights.In,
		},
		bias: l.bias[from:to],
	}
}
