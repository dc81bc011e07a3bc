package kernel

import "math"

// exp2Coefficients are 2^f on [−½, ½], a minimax fit (Remez, 1934) of degree 5,
// highest coefficient first, relative error below 3e−7 in float32.
var exp2Coefficients = [6]float32{
	0.0013276472454890609, 0.009675540961325169, 0.05550713092088699,
	0.24022120237350464, 0.6931469440460205, 1.0000001192092896,
}

// exp2Lowest is where exp2 stands still: 2^−125 is the smallest power whose
// half, which 2^f can be near to, is still a normal float32.
const exp2Lowest = -125

// exp2 returns 2^y for y ≤ 0.
func exp2(y float32) float32 {
	y = max(y, exp2Lowest)
	n := int32(y - 0.5) // the nearest integer, as y is not positive
	f := y - float32(n)
	c := &exp2Coefficients
	p := ((((c[0]*f+c[1])*f+c[2])*f+c[3])*f+c[4])*f + c[5]
	const mantissaBits = 23
	return math.Float32frombits(math.Float32bits(p) + uint32(n)<<mantissaBits)
}

// attentionGo is Attention in plain Go, one query after the other.
func attentionGo(out, q, k, v []float32, tokens, heads, dim int, scratch *[]float32) {
	checkAttention(out, q, k, v, tokens, heads, dim)
	*scratch = grow(*scratch, tokens)
	scores := *scratch
	stride := heads * dim
	for at := 0; at < stride; at += dim {
		for t := range tokens {
			query := q[t*stride+at:][:dim]
			score(scores, query, k[at:], stride)
			softmax(scores)
			mix(out[t*stride+at:][:dim], scores, v[at:], stride)
		}
	}
}

// score fills scores with the products of the query and the rows of k, which are
// stride values apart, brought to base 2.
func score(scores, query, k []float32, stride int) {
	dim := len(query)
	scale := float32(math.Log2E / math.Sqrt(float64(dim)))
	j := 0
	for ; j+4 <= len(scores); j += 4 {
		k0, k1 := k[j*stride:][:dim], k[(j+1)*stride:][:dim]
		k2, k3 := k[(j+2)*stride:][:dim], k[(j+3)*stride:][:dim]
		var s0, s1, s2, s3 float32
		for d, x := range query {
			s0 += x * k0[d]
			s1 += x * k1[d]
			s2 += x * k2[d]
			s3 += x * k3[d]
		}
		scores[j], scores[j+1], scores[j+2], scores[j+3] = s0*scale, s1*scale, s2*scale, s3*scale
	}
	for ; j < len(scores); j++ {
		var sum float32
		for d, x := range k[j*stride:][:dim] {
			sum += x * query[d]
		}
		scores[j] = sum * scale
	}
}

// softmax replaces scores, in base 2, by probabilities.
func softmax(scores []float32) {
	highest := float32(math.Inf(-1))
	for _, s := range scores {
		highest = max(highest, s)
	}
	var sum float32
	for i, s := range scores {
		scores[i] = exp2(s - highest)
		sum += scores[i]
	}
	inverse := 1 / sum
	for i := range scores {
		scores[i] *= inverse
	}
}

// mix sets out to the sum of the rows of v, which are stride values apart, times
// their weights.
func mix(out, weights, v []float32, stride int) {
	dim := len(out)
	clear(out)
	j := 0
	for ; j+4 <= len(weights); j += 4 {
		v0, v1 := v[j*stride:][:dim], v[(j+1)*stride:][:dim]
		v2, v3 := v[(j+2)*stride:][:dim], v[(j+3)*stride:][:dim]
		w0, w1, w2, w3 := weights[j], weights[j+1], weights[j+2], weights[j+3]
		for d := range out {
			out[d] += (w0*v0[d] + w1*v1[d]) + (w2*v2[d] + w3*v3[d])
		}
	}
	for ; j < len(weights); j++ {
		for d, x := range v[j*stride:][:dim] {
			out[d] += weights[j] * x
		}
	}
}
