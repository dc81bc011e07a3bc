package tools

import (
	"fmt"
	"sort"
	"strings"
)

// unknown refuses the members of m that the schema does not know; where names
// the object ("recall", "memories[1]"). It lists the valid names and, where one
// is close, the one that was probably meant.
func (s *schema) unknown(where string, m map[string]any) error {
	var names []string
	for name := range m {
		if _, ok := s.Properties.of[name]; !ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	sort.Strings(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%q", cut(name, 64))
		if meant := closest(name, s.Properties.names); meant != "" {
			names[i] += fmt.Sprintf(" (did you mean %s?)", meant)
		}
	}
	more := ""
	if len(names) > 8 {
		names, more = names[:8], ", ..."
	}
	return bad(fmt.Sprintf("%s has no argument %s%s", where, strings.Join(names, ", "), more),
		fmt.Sprintf("%s takes %s", where, strings.Join(s.Properties.names, ", ")))
}

// closest returns the valid name that a wrong one is nearest to, or "" if none
// is near. Ties go to the first.
func closest(wrong string, valid []string) string {
	wrong = strings.ToLower(cut(wrong, 64))
	best, at := "", len(wrong)/3+1
	for _, name := range valid {
		d := EditDistance(wrong, name)
		if strings.HasPrefix(wrong, name) || strings.HasPrefix(name, wrong) && len(wrong) > 1 {
			d = min(d, 1)
		}
		if d < at || d == at && best == "" {
			best, at = name, d
		}
	}
	return best
}

// EditDistance is the number of single-byte edits between a and b (Levenshtein
// 1966), by one row of the usual table.
func EditDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
