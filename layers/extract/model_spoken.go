package extract

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"mcp-memory/internal/dates"
)

// Times that people say in short, which models write out.
var (
	shortYear  = regexp.MustCompile(`['’](\d{2})\b`)
	slashDay   = regexp.MustCompile(`(?:^|[^\d/.])(\d{1,2})(?:/|\.)(\d{1,2})(?:[^\d/]|$)`)
	numberDay  = regexp.MustCompile(`(?i)\bthe (\d{1,2})(?:st|nd|rd|th)\b|(?:^|[^月\d])(\d{1,2}) ?[日号號]`)
	edgeOfTime = regexp.MustCompile(`(?i)\b(?:begin\w*|start|early|first|end|ending|last|late|until|till|by|through)\b|[初底末头頭始终終]|月内|まで`)
	holidays   = []struct {
		name       *regexp.Regexp
		month, day int
		days       int
	}{
		{regexp.MustCompile(`(?i)\b(?:christmas|xmas)\b|圣诞|聖誕|クリスマス`), 12, 24, 3},
		{regexp.MustCompile(`(?i)\bnew year(?:['’]?s)?\b|元旦|跨年|正月`), 12, 31, 2},
		{regexp.MustCompile(`(?i)\bvalentine['’]?s\b|情人节|バレンタイン`), 2, 14, 1},
		{regexp.MustCompile(`(?i)\bhalloween\b|万圣节|ハロウィン`), 10, 31, 1},
		{regexp.MustCompile(`国庆|國慶`), 10, 1, 7},
	}
)

// inShort are the times that a text speaks of in short: '85, 5/4 in both readings, "the
// 3rd", Christmas, and the ends of longer stretches where it speaks of such ("the first
// week of May"). They bear out what a model writes, and are no times of their own.
func inShort(content string, said time.Time, ranges []dates.Range) (out []dates.Range) {
	content = asciiDigits(content)
	for _, found := range shortYear.FindAllStringSubmatch(content, -1) {
		n, _ := strconv.Atoi(found[1])
		for _, year := range []int{1900 + n, 2000 + n} {
			out = append(out, stretchOf(said, year, time.January, 1, 1, 0))
		}
	}
	for year := said.Year() - 1; year <= said.Year()+1; year++ {
		for _, found := range slashDay.FindAllStringSubmatch(content, -1) {
			a, _ := strconv.Atoi(found[1])
			b, _ := strconv.Atoi(found[2])
			out = append(out, dayOf(said, year, a, b)...)
			out = append(out, dayOf(said, year, b, a)...)
		}
		for _, h := range holidays {
			if h.name.MatchString(content) {
				out = append(out, stretchOf(said, year, time.Month(h.month), h.day, 0, h.days))
			}
		}
	}
	for _, found := range numberDay.FindAllStringSubmatch(content, -1) {
		n, _ := strconv.Atoi(found[1] + found[2])
		for month := -1; month <= 1; month++ {
			first := time.Date(said.Year(), said.Month()+time.Month(month), 1, 0, 0, 0, 0, said.Location())
			out = append(out, dayOf(said, first.Year(), int(first.Month()), n)...)
		}
	}
	if edgeOfTime.MatchString(content) {
		for _, r := range ranges {
			if r.To.Sub(r.From) > 7*day {
				out = append(out, dates.Range{From: r.From, To: r.From.Add(7 * day)}, dates.Range{From: r.To.Add(-7 * day), To: r.To})
			}
		}
	}
	return out
}

// dayOf is a day of a year, if there is one.
func dayOf(said time.Time, year, month, d int) []dates.Range {
	if !isDay(strconv.Itoa(year), strconv.Itoa(month), strconv.Itoa(d)) {
		return nil
	}
	return []dates.Range{stretchOf(said, year, time.Month(month), d, 0, 1)}
}

// stretchOf is so many years and days from a day on, where something was said.
func stretchOf(said time.Time, year int, month time.Month, d, years, days int) dates.Range {
	from := time.Date(year, month, d, 0, 0, 0, 0, said.Location())
	return dates.Range{From: from, To: from.AddDate(years, 0, days)}
}

// bearsOut reports whether what was said in short bears a time out.
func (s *spokenTimes) bearsOut(r dates.Range) bool {
	for _, short := range s.short {
		if r.From.Before(short.To) && short.From.Before(r.To) && (s.foreign || !finer(r, short)) {
			return true
		}
	}
	return false
}

// shortOf reports whether a year was said in short.
func (s *spokenTimes) shortOf(year string) bool {
	for _, short := range s.short {
		if strings.HasPrefix(short.From.Format(time.DateOnly), year) {
			return true
		}
	}
	return false
}
