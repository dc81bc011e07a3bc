package main

import (
	"context"
	"fmt"
	"strings"

	"mcp-memory/layers"
)

// chapter is one step of the demo.
type chapter struct {
	title string
	run   func(context.Context) error
}

// statement is what the demo remembers: who, what about them, since when.
type statement struct {
	text, entity, attribute, value, layer, day string
}

// life is what is remembered first, all in one call.
var life = []statement{
	{"Ada drinks coffee in the morning.", "Ada", "favourite drink", "coffee", "preference", "2023-02-01"},
	{"Ada lives in Lyon.", "Ada", "home city", "Lyon", "identity", "2022-01-10"},
	{"Ada has a cat called Miso.", "Ada", "pets", "Miso", "identity", "2023-05-20"},
	{"Ada is allergic to peanuts.", "Ada", "allergies", "peanuts", "identity", "2023-05-21"},
	{"小林住在上海。", "小林", "居住地", "上海", "identity", "2023-03-01"},
	{"小林最喜欢的菜是火锅。", "小林", "最喜欢的食物", "火锅", "preference", "2023-03-02"},
	{"Ada's old landlord is called Bertrand.", "Ada", "landlord", "Bertrand", "fact", "2022-01-15"},
}

// changes is what is remembered later: the same slots with newer values.
var changes = []statement{
	{"Ada switched from coffee to green tea.", "Ada", "favourite drink", "green tea", "preference", "2024-06-01"},
	{"Ada moved to Lisbon.", "Ada", "home city", "Lisbon", "identity", "2025-03-15"},
	{"小林搬到青岛了。", "小林", "居住地", "青岛", "identity", "2025-04-01"},
}

// story lists the demo's steps in order.
func (d *demo) story() []chapter {
	return []chapter{
		{"A client starts the server", d.connect},
		{"It remembers a small life, in English and Chinese", d.rememberLife},
		{"Things change: the newer statement replaces the older", d.rememberChanges},
		{"Recall finds what holds now, and says why", d.recallNow},
		{"Nothing was lost: what held in the summer of 2023?", d.recallThen},
		{"A mistake is undone", d.undoMistake},
		{"The server is killed (kill -9) and started again", d.crash},
		{"Forgotten is forgotten, after a restart too", d.forgetLandlord},
	}
}

func (d *demo) connect(ctx context.Context) error {
	if err := d.start(ctx); err != nil {
		return err
	}
	names, err := d.child.tools(ctx)
	if err != nil {
		return err
	}
	if err := d.came("it offers %s", strings.Join(names, ", ")); err != nil {
		return err
	}
	return d.check(containsAll(names, "remember", "recall", "forget"), "the tools are %v", names)
}

func (d *demo) rememberLife(ctx context.Context) error {
	_, err := d.remember(ctx, life, layers.StatusStored)
	return err
}

func (d *demo) rememberChanges(ctx context.Context) error {
	done, err := d.remember(ctx, changes, layers.StatusStored)
	for _, m := range done {
		if err == nil {
			err = d.check(len(m.Supersedes) == 1, "%q replaces %d records, not one", m.Text, len(m.Supersedes))
		}
	}
	return err
}

func (d *demo) recallNow(ctx context.Context) error {
	for _, q := range []question{
		{ask: "What does Ada drink?", want: "green tea", never: "in the morning"},
		{ask: "小林住在哪里？", want: "青岛", never: "上海"},
		{ask: "Is there an allergy to peanuts?", want: "peanuts"},
	} {
		q.explain = true
		if err := d.ask(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) recallThen(ctx context.Context) error {
	for _, q := range []question{
		{entity: "Ada", attribute: "favourite drink", want: "coffee"},
		{entity: "Ada", attribute: "home city", want: "Lyon", never: "Lisbon"},
		{entity: "小林", attribute: "居住地", want: "上海", never: "青岛"},
	} {
		q.asOf = "2023-07-01"
		if err := d.ask(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) undoMistake(ctx context.Context) error {
	wrong := statement{"Ada moved to Porto.", "Ada", "home city", "Porto", "identity", "2025-06-01"}
	done, err := d.remember(ctx, []statement{wrong}, layers.StatusStored)
	if err != nil {
		return err
	}
	var out layers.ForgetOutput
	if err := d.child.call(ctx, "forget", map[string]any{"ids": []any{done[0].ID}, "undo": true}, &out); err != nil {
		return err
	}
	if err := d.asked("undo that"); err != nil {
		return err
	}
	if err := d.came("%s", out.Note); err != nil {
		return err
	}
	if err := d.check(out.Restored == 1, "undo changed %d records, not one", out.Restored); err != nil {
		return err
	}
	return d.ask(ctx, question{entity: "Ada", attribute: "home city", want: "Lisbon", never: "Porto"})
}

func (d *demo) crash(ctx context.Context) error {
	if err := d.child.kill(); err != nil {
		return err
	}
	if err := d.start(ctx); err != nil {
		return err
	}
	for _, q := range []question{
		{ask: "What does Ada drink?", want: "green tea", never: "in the morning"},
		{entity: "Ada", attribute: "home city", want: "Lisbon", never: "Porto"},
		{entity: "小林", attribute: "居住地", want: "青岛", never: "上海"},
	} {
		if err := d.ask(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) forgetLandlord(ctx context.Context) error {
	landlord := question{ask: "Bertrand the landlord", want: "Bertrand"}
	if err := d.ask(ctx, landlord); err != nil {
		return err
	}
	out, err := d.forget(ctx, map[string]any{"query": "Bertrand landlord"})
	if err != nil {
		return err
	}
	if err := d.came("forgot %s, verified: %s", count(out.Forgotten, "record"), fmt.Sprint(out.Receipt.Verified)); err != nil {
		return err
	}
	if err := d.check(out.Forgotten == 1 && out.Receipt.Verified, "forgot %d records, verified %v", out.Forgotten, out.Receipt.Verified); err != nil {
		return err
	}
	if err := d.restart(ctx); err != nil {
		return err
	}
	return d.ask(ctx, question{ask: landlord.ask, never: "Bertrand", gone: true})
}
