package keyword

const (
	// saturation is BM25's k1: how soon more of the same word stops counting.
	saturation = 0.9
	// pivot is the length in terms up to which a document pays nothing for
	// being long. It is absolute: an average length was better on short chat
	// turns and collapsed on long messages.
	pivot = 25.0
)

// Weight returns how much a document of length terms says about a term it
// holds tf times: tf / (tf + 0.9·max(1, length/25)), from 0 for tf ≤ 0 to
// just under 1. It is BM25's term weight (Robertson and Zaragoza 2009) with
// b = 1 and a fixed pivot in place of the average length.
func Weight(tf, length int) float64 {
	if tf <= 0 {
		return 0
	}
	f := float64(tf)
	return f / (f + saturation*max(1, float64(length)/pivot))
}
