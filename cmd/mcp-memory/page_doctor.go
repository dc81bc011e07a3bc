package main

import (
	"fmt"
	"strings"

	"mcp-memory/storage/bunt"
)

// checkup shows what doctor found: what is there, what is wrong, the verdict.
func (p page) checkup(c checkup) error {
	var t table
	row := func(name, text string) { t.add(cell{text: name, paint: p.dim}, cell{text: text}) }
	row("directory", c.Dir)
	if c.Store != nil {
		row("store", p.contents(*c.Store))
	}
	if c.Holder != "" {
		row("in use by", oneLine(c.Holder))
	}
	for _, v := range c.Vectors {
		if v.Model != "" && ofRecords(v.Model) {
			row("vectors", fmt.Sprintf("%d of %s, %d to be made", v.Vectors, oneLine(v.Model), v.Missing))
		}
	}
	row("copies", fmt.Sprintf("%d, backups and stores that a restore replaced", len(c.Backups)))
	if c.FreeBytes >= 0 {
		row("free", fmt.Sprintf("%d MB", c.FreeBytes>>20))
	}
	if err := t.print(p.out); err != nil {
		return err
	}
	if c.Repaired != nil {
		if err := p.mended(*c.Repaired); err != nil {
			return err
		}
	}
	for _, f := range c.Findings {
		if err := p.finding(f); err != nil {
			return err
		}
	}
	if c.Healthy {
		return p.line("%s", p.green("healthy"))
	}
	return nil
}

func (p page) finding(f bunt.Finding) error {
	word := p.dim(string(f.Severity))
	switch f.Severity {
	case bunt.Warning:
		word = p.yellow(string(f.Severity))
	case bunt.Error:
		word = p.bold(string(f.Severity))
	}
	text := fmt.Sprintf("%s  %s: %s", word, f.Path, oneLine(f.Text))
	if f.Advice != "" {
		text += "\n" + p.dim("  → "+f.Advice)
	}
	return p.line("%s", text)
}

// mended shows what a repair did and lost.
func (p page) mended(m bunt.Mended) error {
	var lines []string
	for _, path := range m.Tightened {
		lines = append(lines, "for its owner alone again: "+path)
	}
	for _, path := range m.Removed {
		lines = append(lines, "removed: "+path)
	}
	if s := m.Salvage; s != nil {
		lines = append(lines, fmt.Sprintf("salvaged the store: %s kept, %d bytes left out", count(s.Kept, "operation"), s.Bytes))
		if s.Original != "" {
			lines = append(lines, "the original is kept as "+s.Original)
		}
	}
	for _, s := range m.Lost {
		lines = append(lines, "lost: "+s.String())
	}
	if len(m.Records) > 0 {
		lines = append(lines, "records of which something was lost: "+strings.Join(m.Records, ", "))
	}
	if len(m.Receipts) > 0 {
		lines = append(lines, "forgets that were lost, so that what they took is remembered again: "+strings.Join(m.Receipts, ", "))
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing had to be repaired")
	}
	return p.line("%s", strings.Join(lines, "\n"))
}
