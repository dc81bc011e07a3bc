package extract

import "mcp-memory/internal/lazy"

var (
	// noNames are words that begin a request or a remark with a capital letter.
	noNames = lazy.MustCompile(`^(?:Please|Pls|Kindly|Remember|Maybe|Perhaps|Thanks|Sorry|Ok|Okay|Yes|No|Just|Also|Never|Always|Let|Keep|Make|Try|Use|Call|Tell|Give|Take|Write|Answer|Reply|Hey|Hi|Hello|Well|Btw|And|But|So|Because|If|When|Then|Now|Not|Only|Even|Still|Can|Could|Would|Should|Will|Do|Does|Did)\b`)

	// ordered matches a name, so far as its capital letter tells, and what follows an
	// adverb: "Karim always answers" tells of Karim, "Kindly always answer" orders.
	ordered = lazy.MustCompile(`^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)? (?:just|never|always) (?:\w+ly )?(\w+)`)
	// third matches a verb as it follows somebody: in the third person or the past.
	third = lazy.MustCompile(`(?:s|ed)$|^(?:got|went|had|said|told|made|took|ate|left|came|saw|did|gave|found|knew|felt|thought|bought|sold|won|lost|began|became|wanted|can|could|will|would)$`)

	noNamesZh = lazy.MustCompile(`^(?:小心|小声|小时|小学|小区|小说|小吃|小狗|小猫|小孩|老实|老是|老家|老人|老样|老地|老在|老要)`)
)

// orders reports whether a text that looks as if it began with a name asks for
// something, or remarks, so that nobody is named.
func orders(text string) bool {
	if noNames.MatchString(text) || noNamesZh.MatchString(text) {
		return true
	}
	m := ordered.FindStringSubmatch(text)
	return m != nil && !third.MatchString(m[1])
}
