package dates_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/dates"
)

// An example is a text and what is found in it, as render writes it.
type example struct{ text, want string }

var ref = time.Date(2024, 5, 15, 10, 0, 0, 0, time.FixedZone("", 8*3600))

func checkFind(t *testing.T, examples []example) {
	t.Helper()
	for _, e := range examples {
		if got := render(e.text, dates.Find(e.text, ref)); got != e.want {
			t.Errorf("Find(%q)\n got %s\nwant %s", e.text, got, e.want)
		}
	}
}

// render writes "span=from..to role", a whole day as its date alone.
func render(text string, found []dates.Found) string {
	var all []string
	for _, f := range found {
		s := text[f.Start:f.End] + "=" + renderRange(f)
		if f.Role != dates.At {
			s += " " + f.Role.String()
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

func renderRange(f dates.Found) string {
	switch {
	case f.Recurring:
		return "recurring"
	case f.Range.IsZero():
		return "none"
	}
	from, to := renderTime(f.Range.From), renderTime(f.Range.To)
	if to == renderTime(f.Range.From.AddDate(0, 0, 1)) && !strings.Contains(from, "T") {
		return from
	}
	return from + ".." + to
}

func renderTime(t time.Time) string {
	if h, m, s := t.Clock(); h+m+s == 0 {
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02T15:04")
}

func TestQuery_TakesWhatAQuestionLeavesOpen(t *testing.T) {
	years := []int{2023, 2022, 2023}
	for _, e := range []example{
		{"What did the board approve in May 2023?", "May 2023=2023-05-01..2023-06-01"},
		{"What did we do in May?", "May=2022-05-01..2022-06-01; May=2023-05-01..2023-06-01"},
		{"What about the July meeting?", "July=2022-07-01..2022-08-01; July=2023-07-01..2023-08-01"},
		{"Where were you on June 3rd?", "June 3rd=2022-06-03; June 3rd=2023-06-03"},
		{"Who came on February 29?", ""},
		{"Where did she hike last summer?", "last summer=2023-06-01..2023-09-01"},
		{"Where did she hike in summer?", "summer=2022-06-01..2022-09-01; summer=2023-06-01..2023-09-01"},
		{"2023 goals?", "2023=2023-01-01..2024-01-01"},
		{"What did we decide yesterday?", "yesterday=2024-05-14"},
		{"What did I do two months ago?", "two months ago=2024-03-01..2024-04-01"},
		{"What happened three weeks ago?", "three weeks ago=2024-04-22..2024-04-29"},
		{"What did we decide on Friday?", "Friday=2024-05-10; Friday=2024-05-17"},
		{"What must be done by Friday?", "Friday=2024-05-17 by"},
		{"What happened in the beginning of November 2022?", "beginning of November 2022=2022-11-01..2022-11-11"},
		{"May I see it?", ""},
		{"What did Will say?", ""},
		{"Which service listens on port 2019?", ""},
		{"去年夏天去了哪里？", "去年夏天=2023-06-01..2023-09-01"},
		{"5月做了什么", "5月=2022-05-01..2022-06-01; 5月=2023-05-01..2023-06-01"},
		{"昨天决定的颜色", "昨天=2024-05-14"},
		{"周五几点开会", "周五=2024-05-10; 周五=2024-05-17"},
		{"一周三次的课在哪", "一周三次=recurring"},
		{"春天种了什么", "春天=2022-03-01..2022-06-01; 春天=2023-03-01..2023-06-01"},
	} {
		if got := render(e.text, dates.Query(e.text, ref, years)); got != e.want {
			t.Errorf("Query(%q)\n got %s\nwant %s", e.text, got, e.want)
		}
	}
}

func TestQuery_TakesTheLatestWithoutYears(t *testing.T) {
	for text, want := range map[string]string{
		"What did we do in June?":      "June=2023-06-01..2023-07-01",
		"What did we do in May?":       "May=2024-05-01..2024-06-01",
		"What will we do in June?":     "June=2024-06-01..2024-07-01",
		"Who was born on February 29?": "February 29=2024-02-29",
	} {
		if got := render(text, dates.Query(text, ref, nil)); got != want {
			t.Errorf("Query(%q)\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestQuery_LeavesYearsAlone(t *testing.T) {
	years := []int{2023, 2022, 2023}
	dates.Query("in May", ref, years)
	if diff := cmp.Diff([]int{2023, 2022, 2023}, years); diff != "" {
		t.Errorf("the caller's years changed (-want +got):\n%s", diff)
	}
}

func TestFound_TellsHowItWasSaid(t *testing.T) {
	type said struct {
		Unit                                    dates.Unit
		Relative, Inferred, Duration, Recurring bool
	}
	for text, want := range map[string]said{
		"tomorrow":                   {Unit: dates.Day, Relative: true},
		"tomorrow at 3pm":            {Unit: dates.Hour, Relative: true},
		"tomorrow at 15:30":          {Unit: dates.Minute, Relative: true},
		"three weeks ago":            {Unit: dates.Week, Relative: true},
		"three decades ago":          {Unit: dates.Year, Relative: true},
		"last weekend":               {Unit: dates.Weekend, Relative: true},
		"next spring":                {Unit: dates.Season, Relative: true},
		"Q3 2024":                    {Unit: dates.Quarter},
		"in 2019":                    {Unit: dates.Year},
		"May 2023":                   {Unit: dates.Month},
		"the end of 2023":            {Unit: dates.Month},
		"the end of May 2023":        {Unit: dates.Day},
		"on June 3rd":                {Unit: dates.Day, Inferred: true},
		"I saw it on Friday":         {Unit: dates.Day, Relative: true, Inferred: true},
		"for three years":            {Unit: dates.Year, Duration: true},
		"I've had it for three days": {Unit: dates.Day, Duration: true, Relative: true},
		"every Friday":               {Recurring: true},
		"两周前":                        {Unit: dates.Week, Relative: true},
		"三年了":                        {Unit: dates.Year, Duration: true, Relative: true},
		"每周五":                        {Recurring: true},
	} {
		found := dates.Find(text, ref)
		if len(found) != 1 {
			t.Errorf("Find(%q) found %d", text, len(found))
			continue
		}
		f := found[0]
		got := said{f.Range.Unit, f.Relative, f.Inferred, f.Duration, f.Recurring}
		if got != want {
			t.Errorf("Find(%q) = %+v, want %+v", text, got, want)
		}
	}
}
