package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-memory/layers"
)

// Of many processes on one directory the owner is killed while all of them
// remember: every memory is there once, and no process was refused. Twenty
// rounds, with figures: memory-bench many.
const (
	manyProcesses = 8
	manyRemembers = 50
	manyBefore    = 120 // answers before the kill
)

func TestMany_OneIsKilledAndNothingIsLostOrTwice(t *testing.T) {
	dir := t.TempDir()
	servers := make([]*holder, manyProcesses)
	var all sync.WaitGroup
	for i := range servers {
		servers[i] = process(t, dir)
		all.Go(func() { begin(t, servers[i]) })
	}
	all.Wait()
	owner := ownerOf(t, servers[0])
	var answered atomic.Int32
	var left []string // what the killed process's own client got no answer for
	for _, h := range servers {
		own := h.cmd.Process.Pid == owner
		all.Go(func() {
			got := rememberAll(t, h, own, func() {
				if answered.Add(1) == manyBefore {
					kill(t, owner)
				}
			})
			for text, ok := range got {
				if !ok && own {
					left = append(left, text)
				} else if !ok {
					t.Errorf("%q was not answered", text)
				}
			}
		})
	}
	all.Wait()
	again := process(t, dir)
	begin(t, again)
	for _, text := range left { // what any client does that starts its server again
		if _, err := again.request("tools/call", rememberParams(text, true)); err != nil {
			t.Error(err)
		}
	}
	there := everything(t, again)
	if len(there) != manyProcesses*manyRemembers {
		t.Errorf("%d memories are there, want %d", len(there), manyProcesses*manyRemembers)
	}
	for text, n := range there {
		if n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
	}
	next := ownerOf(t, again)
	if next == owner {
		t.Error("the owner that was killed is still named")
	}
}

// process starts a server on dir. It ends with the test.
func process(t *testing.T, dir string, more ...string) *holder {
	t.Helper()
	args := []string{"serve", "--dir", dir, "--embedder", "off", "--log", "error"}
	h := &holder{cmd: exec.Command("mcp-memory", append(args, more...)...)}
	h.cmd.Stderr = os.Stderr
	h.cmd.Env = append(os.Environ(), "HOME="+dir, "TZ=UTC")
	if err := h.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.end() }) // one of them was killed
	return h
}

func begin(t *testing.T, h *holder) {
	_, err := h.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "many", "version": "1"},
	})
	if err == nil {
		err = h.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	if err != nil {
		t.Errorf("begin a session: %v", err)
	}
}

func ownerOf(t *testing.T, h *holder) int { t.Helper(); return statsOf(t, h).OwnerPID }

func statsOf(t *testing.T, h *holder) (stats layers.StatsView) {
	t.Helper()
	raw, err := h.request("resources/read", map[string]any{"uri": "memory://stats"})
	if err != nil {
		t.Fatal(err)
	}
	var res struct{ Contents []struct{ Text string } }
	if err := json.Unmarshal(raw, &res); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(res.Contents[0].Text), &stats); err != nil {
		t.Fatal(err)
	}
	return stats
}

func kill(t *testing.T, pid int) {
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Errorf("kill the owner: %v", err)
	}
}

func rememberParams(text string, keyed bool) map[string]any {
	args := map[string]any{"text": text, "tier": "episodic"}
	if keyed {
		args["idempotency_key"] = text
	}
	return map[string]any{"name": "remember", "arguments": args}
}

// rememberAll sends all of a process's calls at once and reads the answers,
// until they are there or the process is gone. It returns which texts were
// acknowledged.
func rememberAll(t *testing.T, h *holder, keyed bool, acked func()) map[string]bool {
	got := map[string]bool{}
	texts := map[int]string{}
	for i := range manyRemembers {
		text := fmt.Sprintf("Process %d wrote sentence %d.", h.cmd.Process.Pid, i)
		got[text], texts[1000+i] = false, text
		if err := h.send(map[string]any{"jsonrpc": "2.0", "id": 1000 + i, "method": "tools/call", "params": rememberParams(text, keyed)}); err != nil {
			continue // it is gone: its client sends the rest again
		}
	}
	for range manyRemembers {
		line, err := h.stdout.ReadString('\n')
		if err != nil {
			return got
		}
		var m struct {
			ID     int
			Result struct {
				StructuredContent layers.RememberOutput
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Errorf("stdout holds %q: %v", line, err)
			return got
		}
		stored := m.Result.StructuredContent.Memories
		if len(stored) != 1 || stored[0].Status != layers.StatusStored || stored[0].Text != texts[m.ID] {
			t.Errorf("the answer to call %d: %s", m.ID, line)
			continue
		}
		got[stored[0].Text] = true
		acked()
	}
	return got
}

// everything counts all memories by their texts.
func everything(t *testing.T, h *holder) map[string]int {
	t.Helper()
	there := map[string]int{}
	args := map[string]any{"limit": 100, "tiers": []string{"episodic"}}
	for {
		raw, err := h.request("tools/call", map[string]any{"name": "recall", "arguments": args})
		if err != nil {
			t.Fatal(err)
		}
		var res struct{ StructuredContent layers.RecallOutput }
		if err := json.Unmarshal(raw, &res); err != nil {
			t.Fatal(err)
		}
		for _, m := range res.StructuredContent.Matches {
			there[m.Text]++
		}
		if res.StructuredContent.NextCursor == "" {
			return there
		}
		args["cursor"] = res.StructuredContent.NextCursor
	}
}

func TestMany_OneThatIsAttachedPassesCallsOn(t *testing.T) {
	dir := t.TempDir()
	owner := process(t, dir)
	begin(t, owner)
	other := process(t, dir)
	begin(t, other)
	for _, h := range []*holder{owner, other} {
		if _, err := h.request("tools/call", rememberParams(fmt.Sprintf("Process %d is here.", h.cmd.Process.Pid), false)); err != nil {
			t.Fatal(err)
		}
	}
	for h, role := range map[*holder]string{owner: layers.RoleOwner, other: layers.RoleAttached} {
		if got := everything(t, h); len(got) != 2 {
			t.Errorf("the %s process sees %v", role, got)
		}
		if s := statsOf(t, h); s.Role != role || s.OwnerPID != owner.cmd.Process.Pid || s.Records != 2 {
			t.Errorf("the %s process says %+v", role, s)
		}
	}
}

// A take-over by a process whose client says nothing meanwhile: it stands by.
func TestMany_OneThatIsIdleTakesOver(t *testing.T) {
	dir := t.TempDir()
	first := process(t, dir)
	begin(t, first)
	second := process(t, dir)
	begin(t, second)
	if owner := ownerOf(t, second); owner != first.cmd.Process.Pid {
		t.Fatalf("the owner is %d, want the first process, %d", owner, first.cmd.Process.Pid)
	}
	kill(t, first.cmd.Process.Pid)
	_ = first.cmd.Wait() // it was killed
	first.cmd = nil
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if raw, err := os.ReadFile(dir + "/memory.db.lock"); err == nil && json.Valid(raw[1:]) {
			var h struct{ PID int }
			if json.Unmarshal(raw[1:], &h) == nil && h.PID == second.cmd.Process.Pid {
				return
			}
		}
	}
	t.Error("nobody took over")
}

// An owner that cannot open the memory, by a setting of its own, is no obstacle to
// a process that can: that one is the owner then, and serves both.
func TestMany_WhoCannotOpenTheMemoryLeavesItToOthers(t *testing.T) {
	dir := t.TempDir()
	broken := process(t, dir, "--embedder", "builtin", "--embed-file", "none.model", "--log", "off")
	begin(t, broken)
	raw, err := broken.request("tools/call", rememberParams("Too early.", false))
	if err != nil || !strings.Contains(string(raw), `"isError":true`) {
		t.Fatalf("a memory without its embedder answers %s, %v", raw, err)
	}
	sound := process(t, dir)
	begin(t, sound)
	raw, err = sound.request("tools/call", rememberParams("The anvil is in the yard.", false))
	if err != nil || strings.Contains(string(raw), `"isError":true`) {
		t.Errorf("the sound process answers %s, %v", raw, err)
	}
	if owner := ownerOf(t, sound); owner != sound.cmd.Process.Pid {
		t.Errorf("process %d is the owner", owner)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		raw, err = broken.request("tools/call", rememberParams("The bellows are torn.", false))
		if err == nil && !strings.Contains(string(raw), `"isError":true`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the broken process answers %s, %v", raw, err)
		}
	}
}
