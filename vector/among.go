package vector

import "slices"

// amongBlock is how many ids Among asks for at once.
const amongBlock = 4096

// Among finds the k nearest vectors of the given ids alone, each named once, by
// descending cosine, ties by ascending id: exact, whatever the engine.
func Among(index Index, v []float32, ids []uint32, k int) ([]Hit, error) {
	best := floor{k: k}
	var hits []Hit
	cosines := make([]float32, min(len(ids), amongBlock))
	for part := range slices.Chunk(ids, amongBlock) {
		if err := index.Cosines(v, part, cosines[:len(part)]); err != nil {
			return nil, err
		}
		for i, cosine := range cosines[:len(part)] {
			if k > 0 && cosine >= best.value() { // not a number: no vector
				best.push(cosine)
				hits = append(hits, Hit{ID: part[i], Cosine: cosine})
			}
		}
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Cosine < best.value() })
	return bestOf(hits, max(k, 0)), nil
}
