// Package lazy compiles regular expressions when they are first used, so that a start of
// the program pays for none of them.
package lazy

import (
	"iter"
	"regexp"
	"slices"
	"sync"
)

// Regexp is a [regexp.Regexp] compiled at its first use, once, however many goroutines
// use it first.
type Regexp struct{ compiled func() *regexp.Regexp }

// all is every expression of the program, for tests.
var all []*Regexp

// MustCompile is [regexp.MustCompile] put off to the first use, for variables of packages
// alone: what it makes is kept for [All], which package initialisation fills, one package
// after the other. An expression that is none panics where it is used. Inlined, hundreds of
// calls would add 0.8 MB to the binary.
//
//go:noinline
func MustCompile(expression string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
	all = append(all, r)
	return r
}

// All is every expression that packages of the program declare. A test compiles them, so
// that one that is broken fails there and not at a user's sentence.
func All() iter.Seq[*Regexp] { return slices.Values(all) }

// String is [regexp.Regexp.String].
func (r *Regexp) String() string { return r.compiled().String() }

// MatchString is [regexp.Regexp.MatchString].
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindString is [regexp.Regexp.FindString].
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindAllString is [regexp.Regexp.FindAllString].
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// FindAllStringIndex is [regexp.Regexp.FindAllStringIndex].
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is [regexp.Regexp.FindAllStringSubmatchIndex].
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// SubexpNames is [regexp.Regexp.SubexpNames].
func (r *Regexp) SubexpNames() []string { return r.compiled().SubexpNames() }

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (r *Regexp) ReplaceAllString(s, by string) string { return r.compiled().ReplaceAllString(s, by) }

// ReplaceAllLiteralString is [regexp.Regexp.ReplaceAllLiteralString].
func (r *Regexp) ReplaceAllLiteralString(s, by string) string {
	return r.compiled().ReplaceAllLiteralString(s, by)
}

// ReplaceAllStringFunc is [regexp.Regexp.ReplaceAllStringFunc].
func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, by)
}

// ExpandString is [regexp.Regexp.ExpandString].
func (r *Regexp) ExpandString(to []byte, template, s string, match []int) []byte {
	return r.compiled().ExpandString(to, template, s, match)
}

// Split is [regexp.Regexp.Split].
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }

// SubexpIndex is [regexp.Regexp.SubexpIndex].
func (r *Regexp) SubexpIndex(name string) int { return r.compiled().SubexpIndex(name) }
