package kernel

import "math"

// addNormGo is AddNorm in plain Go. The variance is taken around the mean, in a
// second pass, because one pass loses it to rounding where the mean is large.
func addNormGo(x, y, weight, bias []float32, width int, eps float32) {
	checkAddNorm(x, y, weight, bias, width)
	for r := 0; r < len(x); r += width {
		row := x[r : r+width]
		if y != nil {
			addTo(row, y[r:])
		}
		normalise(row, weight, bias, eps)
	}
}

// addTo adds y to x.
func addTo(x, y []float32) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}

// normalise replaces a row by (row − mean)/√(variance + eps)·weight + bias.
func normalise(row, weight, bias []float32, eps float32) {
	weight, bias = weight[:len(row)], bias[:len(row)]
	var sum, squares float64
	for _, v := range row {
		sum += float64(v)
	}
	mean := float32(sum / float64(len(row)))
	for _, v := range row {
		squares += float64((v - mean) * (v - mean))
	}
	inverse := float32(1 / math.Sqrt(squares/float64(len(row))+float64(eps)))
	for i, v := range row {
		row[i] = (v-mean)*inverse*weight[i] + bias[i]
	}
}
