package layers_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers"
)

func TestForget_RefusesSelectorsThatDoNotGoTogether(t *testing.T) {
	h := open(t)
	a := h.say(layers.Memorandum{Text: "The clock tower is shut."})
	for name, tt := range map[string]struct {
		in   layers.ForgetInput
		says string
	}{
		"nothing":                  {layers.ForgetInput{}, "selector"},
		"a blank query":            {layers.ForgetInput{Query: "  "}, "selector"},
		"a query without words":    {layers.ForgetInput{Query: "?!"}, "holds no word"},
		"a reason alone":           {layers.ForgetInput{Reason: "cleanup"}, "selector"},
		"undo of an erase":         {layers.ForgetInput{IDs: []string{a.ID}, Mode: "erase", Undo: true}, "gone for good"},
		"another mode":             {layers.ForgetInput{IDs: []string{a.ID}, Mode: "hard"}, "soft"},
		"all with another":         {layers.ForgetInput{All: true, Tags: []string{"x"}}, "alone"},
		"attribute without entity": {layers.ForgetInput{Attribute: "gym"}, "entity"},
		"undo without ids":         {layers.ForgetInput{Undo: true, Query: "tower"}, "ids"},
		"an unknown id":            {layers.ForgetInput{IDs: []string{a.ID, "01ARZ3NDEKTSV4RRFFQ69G5FAV"}}, "ids[1]"},
	} {
		_, err := h.Forget(t.Context(), user, tt.in)
		bad := (*layers.InvalidError)(nil)
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want a complaint with %q", name, err, tt.says)
		}
	}
	want(t, "still there", h.ask(layers.RecallInput{}), a.ID)
}

func TestForget_TokenIsForOneSetOnceAndForAWhile(t *testing.T) {
	h := open(t)
	say := func(text, tag string) string { return h.say(layers.Memorandum{Text: text, Tags: []string{tag}}).ID }
	a, b := say("The kiln is hot.", "kiln"), say("The kiln door sticks.", "kiln")
	tag := layers.ForgetInput{Tags: []string{"kiln"}}
	show := func(in layers.ForgetInput) string {
		t.Helper()
		out, err := h.Forget(t.Context(), user, in)
		if err != nil || out.Forgotten != 0 || out.Confirm == "" {
			t.Fatalf("show: %+v, %v", out, err)
		}
		return out.Confirm
	}
	refused := func(what string, who string, in layers.ForgetInput) {
		t.Helper()
		bad := (*layers.InvalidError)(nil)
		if _, err := h.Forget(t.Context(), who, in); !errors.As(err, &bad) || bad.Field != "confirm" {
			t.Errorf("%s: got %v, want a complaint about confirm", what, err)
		}
		want(t, "nothing is gone", h.ask(layers.RecallInput{Query: "kiln"}), a, b)
	}
	token := show(tag)
	tag.Confirm = token
	c := say("The kiln wheel turns.", "kiln")
	if _, err := h.Forget(t.Context(), user, tag); err == nil {
		t.Error("a token was good for a larger set")
	}
	h.forget(false, c)
	late := layers.ForgetInput{Tags: []string{"kiln"}, Confirm: show(layers.ForgetInput{Tags: []string{"kiln"}})}
	h.pass(11 * time.Minute)
	refused("after 11 minutes", user, late)
	refused("made up", user, layers.ForgetInput{Tags: []string{"kiln"}, Confirm: "true"})
	tag.Confirm = show(layers.ForgetInput{Tags: []string{"kiln"}})
	if out, err := h.Forget(t.Context(), user, tag); err != nil || out.Forgotten != 2 {
		t.Fatalf("confirmed: %+v, %v", out, err)
	}
	h.forget(true, a, b)
	refused("a second time", user, tag)
}

func TestForget_OneSlotGoesAtOnceWithItsHistory(t *testing.T) {
	h := open(t)
	h.say(slotted("gym", "A", "2024-01-05"))
	h.say(slotted("gym", "B", "2024-02-05"))
	other := h.say(slotted("bank", "Alpina", ""))
	out, err := h.Forget(t.Context(), user, layers.ForgetInput{Entity: "me", Attribute: "gym"})
	if err != nil || out.Forgotten != 2 || !out.Receipt.Verified {
		t.Fatalf("forget a slot: %+v, %v", out, err)
	}
	want(t, "the rest", h.ask(layers.RecallInput{IncludeSuperseded: true}), other.ID)
}

func TestForget_RelatedSaysTheSame(t *testing.T) {
	h := open(t)
	a := h.say(slotted("drink", "coffee", "2024-01-05"))
	h.say(slotted("drink", "tea", "2024-02-05"))
	c := h.say(slotted("drink", "coffee", "2024-03-05"))
	want(t, "related", h.forget(false, c.ID).Related, a.ID)
}

func TestForget_WhatIsForgottenShowsNowhere(t *testing.T) {
	h := open(t)
	a := h.say(layers.Memorandum{Text: "The user's secret garden is Wobblethorpe.", Entity: "user", Attribute: "garden", Value: "Wobblethorpe"})
	h.forget(false, a.ID)
	for range 2 {
		for name, in := range map[string]layers.RecallInput{
			"query": {Query: "Wobblethorpe"}, "everything": {}, "history": {IncludeSuperseded: true}, "id": {IDs: []string{a.ID}},
			"as of": {AsOf: "2026-11-30T12:00:01Z"}, "known at": {KnownAt: "2026-11-30T12:00:01Z"},
		} {
			want(t, name, h.ask(in))
		}
		profile, err := h.Profile(t.Context(), user)
		if err != nil || strings.Contains(profile, "Wobblethorpe") {
			t.Errorf("profile: %v %q", err, profile)
		}
		line, err := h.Timeline(t.Context(), user, "user")
		if err != nil || len(line.Attributes) != 0 {
			t.Errorf("timeline: %v %+v", err, line)
		}
		h.restart()
	}
}
