// Package slot decides what a memory is about and which of the statements
// about it holds at a moment.
//
// A slot is one attribute of one entity (and, where the attribute holds many
// values, one of them). [Entity], [Canonical] and [Value] make the names
// comparable, so that "home_city", "lives in" and 所在城市 are one attribute.
// The words they know stand in attributes.txt and kinds.txt.
//
// [Timeline] is the history of one slot: a pure fold over what was said, in
// the order of the times that were given and never of arrival. Tea is said in
// January and again in June, and in July one hears that it was coffee in March:
//
//	said     tea          coffee          tea
//	         |            |               |
//	time  ---Jan----------Mar-------------Jun------------->
//	holds    [--- tea ---)[--- coffee ---)[--- tea ---
//
// There are two records in it: the tea of June is the tea of January said
// again ([Timeline.Match]), and coffee is history although it was recorded last.
//
// The package is pure: it reads no clock, keeps no state and knows no store.
// It does not guess: two names are one only where a table says so.
package slot
