package kernel

// GELU is x·Φ(x) = max(x, 0) − h(|x|) with h(a) = a·Φ(−a), a bump that is below
// 1.5e−6 from geluTop on. geluCoefficients are h(a) on [0, geluTop] as a polynomial
// in a − geluMiddle, which keeps the powers small: a minimax fit (Remez, 1934) of
// degree 14, highest coefficient first, absolute error below 7e−7 in float32.
// Above geluTop h stands still, so that GELU is off by less than 2e−6 everywhere.
const (
	geluTop    = 5.0
	geluMiddle = geluTop / 2
)

var geluCoefficients = [15]float32{
	2.052066605529035e-08, -1.726496066112304e-07, -3.280596558852267e-07,
	5.5576533668499906e-06, -5.8339123825135175e-06, -6.62036836729385e-05,
	0.00020977748499717563, 0.0001277033006772399, -0.0019741926807910204,
	0.004288432188332081, -0.0004825990181416273, -0.016444401815533638,
	0.03724146634340286, -0.03760920837521553, 0.015524488873779774,
}

// geluGo is GELU in plain Go.
func geluGo(x []float32) {
	for i, v := range x {
		t := min(max(v, -v), geluTop) - geluMiddle
		h := geluCoefficients[0]
		for _, c := range geluCoefficients[1:] {
			h = h*t + c
		}
		x[i] = max(v, 0) - h
	}
}
