package main

// outcome is how well one question was answered.
type outcome struct {
	talk     int // place in the data
	category int
	turns    turnFigures
	sessions sessionFigures
}

// firstHalf is how many conversations the recipe was tuned on; the others tell
// how it does elsewhere.
const firstHalf = 5

// Choices of outcomes.
func everyOne(outcome) bool       { return true }
func early(o outcome) bool        { return o.talk < firstHalf }
func late(o outcome) bool         { return o.talk >= firstHalf }
func answerable(o outcome) bool   { return o.category != adversarial }
func inCategory(n int) choice     { return func(o outcome) bool { return o.category == n } }
func both(one, two choice) choice { return func(o outcome) bool { return one(o) && two(o) } }

type choice func(outcome) bool

// ranker is one way of ranking under judgement.
type ranker struct {
	name     string
	outcomes []outcome
}

// judge adds the answer to a question of a conversation.
func (r *ranker) judge(talk int, p *probe, turns []hit) {
	r.outcomes = append(r.outcomes, outcome{
		talk: talk, category: p.Category, turns: judgeTurns(turns, p.Evidence),
		sessions: judgeSessions(rankSessions(turns), p.sittingsOf()),
	})
}

// rankerReport is what came out for a ranker.
type rankerReport struct {
	Name     string       `json:"name"`
	Turns    []turnRow    `json:"turns"`
	Sessions []sessionRow `json:"sessions"`
}

// turnRow and sessionRow are means over a choice of questions.
type (
	turnRow struct {
		Of        string `json:"of"`
		Questions int    `json:"questions"`
		turnFigures
	}
	sessionRow struct {
		Of        string `json:"of"`
		Questions int    `json:"questions"`
		sessionFigures
	}
)

// Names of rows that limits speak of.
const (
	rowMacro      = "macro"
	rowMacroLate  = "macro, conversations 5–9"
	rowAnswerable = "categories 1–4 together"
	rowAll        = "all"
)

func (r *ranker) report() rankerReport {
	out := rankerReport{Name: r.name}
	for n := 1; n <= categories; n++ {
		out.Turns = append(out.Turns, r.turns(categoryName(n), inCategory(n)))
	}
	out.Turns = append(out.Turns,
		r.macro(rowMacro, everyOne),
		r.macro("macro, conversations 0–4", early),
		r.macro(rowMacroLate, late),
		r.turns(rowAnswerable, answerable))
	for n := 1; n <= categories; n++ {
		out.Sessions = append(out.Sessions, r.sessions(categoryName(n), inCategory(n)))
	}
	out.Sessions = append(out.Sessions,
		r.sessions(rowAll, everyOne),
		r.sessions("conversations 0–4", early),
		r.sessions("conversations 5–9", late),
		r.sessions(rowAnswerable, answerable))
	return out
}

func categoryName(n int) string { return string(rune('0'+n)) + " " + categoryNames[n] }

// turns is the mean over the chosen questions.
func (r *ranker) turns(of string, chosen choice) turnRow {
	row := turnRow{Of: of}
	for _, o := range r.outcomes {
		if chosen(o) {
			row.Questions++
			row.turnFigures = row.plus(o.turns)
		}
	}
	row.turnFigures = row.over(row.Questions)
	return row
}

// macro is the mean of the categories' means: each counts alike. Categories
// without a chosen question do not count.
func (r *ranker) macro(of string, chosen choice) turnRow {
	row, counted := turnRow{Of: of}, 0
	for n := 1; n <= categories; n++ {
		if mean := r.turns("", both(chosen, inCategory(n))); mean.Questions > 0 {
			row.Questions += mean.Questions
			row.turnFigures = row.plus(mean.turnFigures)
			counted++
		}
	}
	row.turnFigures = row.over(counted)
	return row
}

func (r *ranker) sessions(of string, chosen choice) sessionRow {
	row := sessionRow{Of: of}
	for _, o := range r.outcomes {
		if chosen(o) {
			row.Questions++
			row.sessionFigures = row.plus(o.sessions)
		}
	}
	row.sessionFigures = row.over(row.Questions)
	return row
}

func (f turnFigures) plus(g turnFigures) turnFigures {
	return turnFigures{f.NDCG + g.NDCG, f.R + g.R, f.Hit1 + g.Hit1}
}

// over divides; nothing over nothing is zero.
func (f turnFigures) over(count int) turnFigures {
	n := float64(max(count, 1))
	return turnFigures{f.NDCG / n, f.R / n, f.Hit1 / n}
}

func (f sessionFigures) plus(g sessionFigures) sessionFigures {
	return sessionFigures{f.Hit1 + g.Hit1, f.Hit5 + g.Hit5, f.All5 + g.All5, f.MRR + g.MRR}
}

func (f sessionFigures) over(count int) sessionFigures {
	n := float64(max(count, 1))
	return sessionFigures{f.Hit1 / n, f.Hit5 / n, f.All5 / n, f.MRR / n}
}
