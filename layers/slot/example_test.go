package slot_test

import (
	"fmt"
	"time"

	"mcp-memory/layers/slot"
)

// Tea in January and again in June; in July one learns that it was coffee in
// March.
func Example() {
	month := func(m time.Month) time.Time { return time.Date(2024, m, 10, 0, 0, 0, 0, time.UTC) }
	said := func(observed, recorded time.Month) slot.Saying {
		return slot.Saying{ObservedAt: month(observed), RecordedAt: month(recorded), Confidence: 0.8}
	}
	tea := slot.Statement{ID: "tea", Value: slot.Value("Tea"), Said: []slot.Saying{said(time.January, time.January)}}

	again := slot.Statement{Value: slot.Value("tea."), Said: []slot.Saying{said(time.June, time.June)}}
	fmt.Println("said again:", slot.New([]slot.Statement{tea}, nil).Match(again))
	tea.Said = append(tea.Said, again.Said...)

	coffee := slot.Statement{ID: "coffee", Value: "coffee", Said: []slot.Saying{said(time.March, time.July)}}
	line := slot.New([]slot.Statement{tea, coffee}, nil)
	for _, m := range []time.Month{time.February, time.April, time.July} {
		fmt.Println(m, line.At(month(m)))
	}
	fmt.Println("coffee gave way to", line.Successor("coffee"))
	// Output:
	// said again: tea
	// February [tea]
	// April [coffee]
	// July [tea]
	// coffee gave way to tea
}
