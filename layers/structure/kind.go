package structure

import (
	"slices"
	"strings"
	"unicode"
)

// kind says what the words of a slot must be.
type kind struct {
	several bool // several values may be named
	whole   bool // it goes on after a pause, and after words like "with"
	phrase  bool // whole, but up to a pause
	raw     bool // it keeps its articles and closing words
	general bool // a thing in general is meant, not one that is pointed at
	timed   bool // it may hold a time
	narrow  func(*check, stretch) stretch
	test    func(*check, stretch) bool
}

// kinds are the kinds of slots that are looked at. Every other kind is a type or
// a list of the language: the pattern itself holds the slot to it.
var kinds = map[string]kind{
	"any":        {raw: true, whole: true, test: func(k *check, v stretch) bool { return !k.l.contains("denial", v.of(k.c)) }},
	"childcount": {raw: true, whole: true, test: func(*check, stretch) bool { return true }},

	// Nouns.
	"thing":      {test: (*check).isThing},
	"things":     {test: (*check).isThing, several: true},
	"skill":      {test: (*check).isThing, several: true},
	"fav":        {test: (*check).isThing},
	"liking":     {test: (*check).isThing, general: true},
	"preference": {test: (*check).isThing, general: true},
	"drinkable":  {test: (*check).isDrink, general: true},
	"edible":     {test: (*check).isEdible},
	"allergens":  {test: (*check).isAllergen, several: true},
	"allergen":   {test: (*check).isAllergen},
	"illness":    {test: (*check).isIllness},
	"dietany":    {test: func(k *check, v stretch) bool { return k.l.is("diet", v.of(k.c)) || k.l.is("dietnoun", v.of(k.c)) }},
	"animal":     {test: (*check).isAnimal},
	"fear":       {test: func(k *check, v stretch) bool { return k.isThing(v) && k.l.contains("fear", v.of(k.c)) }},
	"favnoun":    {test: (*check).isNoun},
	"job":        {test: (*check).isJob},
	"title":      {test: func(k *check, v stretch) bool { return k.isThing(v) && !k.l.begins("no title", v.of(k.c)) }},
	"subject":    {test: func(k *check, v stretch) bool { return k.isThing(v) && k.l.suffix("subject", v.of(k.c)) > 0 }},
	"learnable":  {test: func(k *check, v stretch) bool { return k.isThing(v) && !k.l.begins("no learnable", v.of(k.c)) }},
	"hobby":      {test: (*check).isPastime, narrow: (*check).pastime},
	"activity":   {test: (*check).isPastime, narrow: (*check).pastime},
	"club":       {test: func(k *check, v stretch) bool { return k.isClub(v, "club") || k.isClub(v, "troupe") }},
	"troupe":     {test: func(k *check, v stretch) bool { return k.isClub(v, "troupe") }},
	"skillthing": {test: (*check).isAble, narrow: (*check).pastime},
	"pursuit":    {test: func(k *check, v stretch) bool { return k.fits(v, maxPursuit) && k.isThing(v) }},
	"tool":       {test: (*check).isTool},
	"thing1":     {test: (*check).isProduct},
	"products":   {test: (*check).isProduct, several: true},
	"soletool":   {whole: true, test: (*check).isSoleTool, narrow: (*check).unpurposed},
	"beside1":    {test: (*check).hasRoom},
	"variety": {test: func(k *check, v stretch) bool {
		return k.isThing(v) && k.fits(v, maxVariety) && !k.l.is("no variety", v.of(k.c))
	}},
	"purpose": {test: func(k *check, v stretch) bool {
		return k.isThing(v) && k.fits(v, maxVariety) && !k.l.begins("no purpose", v.of(k.c)) && !k.l.isWhole(v.of(k.c))
	}},
	"stackthings": {test: (*check).isStack, several: true},
	"device":      {test: func(k *check, v stretch) bool { return k.isModel(v) && k.isOf("device", v) }},
	"vehicle":     {test: func(k *check, v stretch) bool { return k.isModel(v) && k.isOf("vehicle", v) }},
	"devicename":  {test: (*check).isModel},
	"carname":     {test: (*check).isModel},
	"langs":       {test: (*check).areLanguages, several: true, whole: true},

	// Names.
	"given":       {test: func(k *check, v stretch) bool { return k.areNames(v) || k.isGiven(v.of(k.c)) }},
	"name":        {test: (*check).areNames},
	"names":       {test: (*check).areNames, several: true},
	"fullname":    {test: (*check).areNames},
	"fullnames":   {test: (*check).areNames, several: true},
	"nick":        {test: (*check).areNames},
	"person":      {test: (*check).areNames},
	"partner":     {test: func(k *check, v stretch) bool { return !k.l.begins("no partner", v.of(k.c)) }},
	"projectname": {test: func(k *check, v stretch) bool { return !k.l.is("no name", v.of(k.c)) }},
	"place":       {test: (*check).isPlace, narrow: (*check).unwrap},
	"org":         {test: (*check).isOrg, narrow: (*check).unwrap},
	"school":      {test: (*check).isSchool, narrow: (*check).unwrap},
	"schoolname":  {test: (*check).isSchoolName, narrow: (*check).unwrap},
	"where":       {test: func(k *check, v stretch) bool { return k.isWhere(v.of(k.c)) }},
	"region": {test: func(k *check, v stretch) bool {
		return k.l.begins("province", v.of(k.c)) || k.l.begins("city", v.of(k.c))
	}},
	"address": {whole: true, test: func(k *check, v stretch) bool { return strings.IndexFunc(v.of(k.c), unicode.IsDigit) >= 0 }},

	// Times, and what is done.
	"date":        {test: (*check).isDate, whole: true, phrase: true, timed: true},
	"year":        {test: func(*check, stretch) bool { return true }, timed: true},
	"when":        {test: (*check).isWhen, several: true, timed: true},
	"aim":         {test: func(k *check, v stretch) bool { return k.isDeed(v) && k.size(v) > 1 }, whole: true, phrase: true},
	"deed":        {test: (*check).isDeed, whole: true, phrase: true},
	"lesson":      {test: (*check).isLesson, narrow: (*check).unlabelled, whole: true, timed: true},
	"style-part":  {test: (*check).isStyle, whole: true, phrase: true},
	"style-words": {test: (*check).isStyle, whole: true, phrase: true},
	"style-neg":   {test: (*check).isStyle, whole: true, phrase: true},
	"style-lead":  {test: (*check).isStyle, whole: true, phrase: true},
}

// isOf reports whether a value names one of a list: anywhere in words, at the
// beginning of Han characters.
func (k *check) isOf(list string, v stretch) bool {
	return k.l.begins(list, v.of(k.c)) || k.l.spaced && k.l.contains(list, v.of(k.c))
}

// slotKinds returns the kinds by slot's tables of a value as it was written.
func (k *check) slotKinds(v stretch) []string {
	return k.l.kinds(k.c.source(v.start, v.end))
}

func (k *check) isDrink(v stretch) bool {
	return k.isThing(v) && slices.Contains(k.slotKinds(v), "drink")
}

// isEdible reports whether a value is food: in English one that is known, for
// one avoids other things too; in Chinese all that is not eaten but a saying
// (不吃亏).
func (k *check) isEdible(v stretch) bool {
	if !k.isThing(v) {
		return false
	}
	if !k.l.spaced {
		return !k.l.begins("no food", v.of(k.c)) && !k.l.is("no dish", v.of(k.c))
	}
	return k.l.contains("edible", v.of(k.c)) || slices.Contains(k.slotKinds(v), "food")
}

// isAllergen reports whether a value may be one, and no joke ("Mondays").
func (k *check) isAllergen(v stretch) bool {
	return k.isThing(v) && !k.l.contains("no allergen", v.of(k.c)) && !isGerund(v.of(k.c))
}

// isGerund reports whether a value begins with something done ("waking up").
func isGerund(s string) bool {
	first, _, _ := strings.Cut(s, " ")
	return len(first) > len("thing") && strings.HasSuffix(first, "ing")
}

func (k *check) isIllness(v stretch) bool {
	return k.isThing(v) && k.l.suffix("illness", v.of(k.c)) > 0 && !k.l.begins("no illness", v.of(k.c))
}

func (k *check) areLanguages(v stretch) bool {
	return k.l.begins("lang", v.of(k.c)) && (k.l.suffix("lang", v.of(k.c)) > 0 || !k.l.spaced)
}
