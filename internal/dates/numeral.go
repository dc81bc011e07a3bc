package dates

// hanDigit gives the value of a Chinese digit, -1 for other tokens.
func hanDigit(s string) int {
	switch s {
	case "〇", "零":
		return 0
	case "一":
		return 1
	case "二", "两":
		return 2
	case "三":
		return 3
	case "四":
		return 4
	case "五":
		return 5
	case "六":
		return 6
	case "七":
		return 7
	case "八":
		return 8
	case "九":
		return 9
	}
	return -1
}

// hanScale gives the value of a Chinese multiplier, 0 for other tokens.
func hanScale(s string) int {
	switch s {
	case "十":
		return 10
	case "百":
		return 100
	}
	return 0
}

func isNumeral(s string) bool { return hanDigit(s) >= 0 || hanScale(s) > 0 }

// numeral reads a whole Chinese number under 1,000 (十, 二十三, 一百零五) at
// tokens[i]. Two digits side by side (三四, "three or four") are no number, nor
// is the rest of a longer one.
func numeral(tokens []token, i int) (value, end int, ok bool) {
	if i > 0 && tokens[i].gap == glued && (isNumeral(tokens[i-1].low) || tokens[i-1].kind == number) {
		return 0, 0, false
	}
	for end = i; end < len(tokens) && isNumeral(tokens[end].low); end++ {
		if end > i && tokens[end].gap != glued {
			break
		}
	}
	if end == i || end < len(tokens) && (tokens[end].low == "千" || tokens[end].low == "万") {
		return 0, 0, false
	}
	value, ok = sumNumeral(tokens[i:end])
	return value, end, ok
}

func sumNumeral(tokens []token) (int, bool) {
	sum, digit, limit := 0, -1, 1000
	for _, t := range tokens {
		if scale := hanScale(t.low); scale > 0 {
			if scale >= limit || digit == 0 {
				return 0, false
			}
			sum += max(digit, 1) * scale
			digit, limit = -1, scale
			continue
		}
		if digit > 0 {
			return 0, false
		}
		digit = hanDigit(t.low)
	}
	return sum + max(digit, 0), true
}

// digitByDigit reads a number of exactly n Chinese digits (二〇二三).
func digitByDigit(tokens []token, i, n int) (value, end int, ok bool) {
	for end = i; end < len(tokens) && hanDigit(tokens[end].low) >= 0; end++ {
		value = value*10 + hanDigit(tokens[end].low)
		if end-i >= n {
			return 0, 0, false
		}
	}
	return value, end, end-i == n
}
