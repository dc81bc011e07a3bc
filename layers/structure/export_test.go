package structure

// RuleNames lists the names of the rules of a language.
func RuleNames(code string) []string {
	var names []string
	for _, r := range languageByCode(code).rules {
		names = append(names, r.name)
	}
	return names
}

func languageByCode(code string) *language {
	switch code {
	case "zh":
		return chinese()
	case japaneseCode:
		return japanese()
	}
	return english()
}
