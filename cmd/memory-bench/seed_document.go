package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// documentSize is how many characters a document of the experiment has at least.
const documentSize = 50_000

// documentBreak is the paragraph of a report where chats are put in.
const documentBreak = "%%"

// readDocument is the report of testdata, with chats between its chapters: all of
// the team's, and as much of the diaries as it takes.
func readDocument(name, language, data string) ([]string, error) {
	raw, err := fs.ReadFile(seedFiles, "testdata/seed/"+name)
	if err != nil {
		return nil, fmt.Errorf("read a document: %w", err)
	}
	report := paragraphsOf(string(raw))
	missing := documentSize
	breaks := 0
	for _, p := range report {
		if missing -= utf8.RuneCountInString(p); p == documentBreak {
			breaks++
		}
	}
	if breaks == 0 {
		return nil, fmt.Errorf("%s has no %s where chats go", name, documentBreak)
	}
	chats, err := readChats(data, language, missing)
	if err != nil {
		return nil, err
	}
	return fill(report, slices.Collect(slices.Chunk(chats, (len(chats)+breaks-1)/breaks))), nil
}

func paragraphsOf(s string) []string { return strings.Split(strings.TrimSpace(s), "\n\n") }

// fill puts the parts at the breaks, in order.
func fill(report []string, parts [][]string) (out []string) {
	for _, p := range report {
		if p != documentBreak {
			out = append(out, p)
			continue
		}
		if len(parts) > 0 {
			out, parts = append(out, parts[0]...), parts[1:]
		}
	}
	return out
}

// chatTurns go into a paragraph of a chat.
const chatTurns = 6

// readChats reads paragraphs of chats, as many characters as are asked for.
func readChats(data, language string, characters int) (out []string, err error) {
	team, err := readTeam(data, language)
	if err != nil {
		return nil, err
	}
	diaries, err := readDiaries(data, language)
	if err != nil {
		return nil, err
	}
	for _, p := range append(team, diaries...) {
		if characters <= 0 {
			return out, nil
		}
		out = append(out, p)
		characters -= utf8.RuneCountInString(p)
	}
	if characters > 0 {
		return nil, fmt.Errorf("the chats in %s (--data) are %d characters short of a document of %d", data, characters, documentSize)
	}
	return out, nil
}

// readTeam reads the team's chat of EverCore.
func readTeam(data, language string) ([]string, error) {
	var chat struct {
		List []struct {
			Sender  string `json:"sender_name"`
			Content string `json:"content"`
		} `json:"conversation_list"`
	}
	if err := readChat(filepath.Join(data, "evercore-chats", "team_chat_"+language+".json"), &chat); err != nil {
		return nil, err
	}
	var lines []string
	for _, m := range chat.List {
		lines = append(lines, m.Sender+": "+m.Content)
	}
	return joined(lines), nil
}

// readDiaries reads what the users of MemoryBank said to their companions.
func readDiaries(data, language string) (out []string, err error) {
	var users map[string]struct {
		History map[string][]struct {
			Query    string `json:"query"`
			Response string `json:"response"`
		} `json:"history"`
	}
	if err := readChat(filepath.Join(data, "memorybank", "memory_bank_"+map[string]string{"en": "en", "zh": "cn"}[language]+".json"), &users); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		for _, day := range slices.Sorted(maps.Keys(users[name].History)) {
			var lines []string
			for _, t := range users[name].History[day] {
				lines = append(lines, name+": "+t.Query, "Companion: "+t.Response)
			}
			out = append(out, joined(lines)...)
		}
	}
	return out, nil
}

// joined makes paragraphs of some lines each.
func joined(lines []string) (out []string) {
	for some := range slices.Chunk(lines, chatTurns) {
		out = append(out, strings.Join(some, "\n"))
	}
	return out
}

func readChat(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read a chat to fill the document (--data): %w", err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read the chat in %s: %w", path, err)
	}
	return nil
}
