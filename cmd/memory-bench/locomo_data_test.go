package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// smallTalks is data of LoCoMo's shape, written for these tests.
const smallTalks = `[{
 "sample_id": "talk-1",
 "conversation": {
  "speaker_a": "Mira", "speaker_b": "Joss",
  "session_10_date_time": "9:00 am on 2 May, 2023",
  "session_10": [
   {"speaker": "Mira", "dia_id": "D10:1", "text": "I moved to Trondheim last week."},
   {"speaker": "Joss", "dia_id": "D10:2", "text": "Lovely! How is the harbour?"}],
  "session_2_date_time": "1:56 pm on 8 March, 2023",
  "session_2": [
   {"speaker": "Mira", "dia_id": "D2:1", "text": "My violin broke during the rehearsal.", "img_url": ["x"], "blip_caption": "a violin"},
   {"speaker": "Joss", "dia_id": "D2:2", "text": "Oh no, who can mend it?"},
   {"speaker": "Mira", "dia_id": "D2:3", "text": "A luthier called Bramwell mends it."}],
  "session_11_date_time": "9:00 am on 3 May, 2023"
 },
 "qa": [
  {"question": "What broke during the rehearsal?", "answer": "violin", "evidence": ["D2:01"], "category": 4},
  {"question": "Unanswerable without evidence?", "evidence": [], "category": 3},
  {"question": "Who mends the violin?", "answer": 7, "evidence": ["D2:1; D:2:3"], "category": 1},
  {"question": "What did Joss say of the Trondheim harbour?", "adversarial_answer": "x", "evidence": ["D10:2"], "category": 5}]
}]`

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadTalks_OrdersSessionsAndNormalisesEvidence(t *testing.T) {
	talks, err := readTalks(write(t, "talks.json", smallTalks))
	if err != nil {
		t.Fatal(err)
	}
	if len(talks) != 1 || talks[0].turns() != 5 || len(talks[0].Sittings) != 2 {
		t.Fatalf("read %+v", talks)
	}
	first := talks[0].Sittings[0]
	if want := time.Date(2023, 3, 8, 13, 56, 1, 0, time.UTC); first.Number != 2 || !first.said(1).Equal(want) || first.name("talk-1") != "talk-1-2" {
		t.Errorf("first session is %+v", first)
	}
	want := []probe{
		{0, "What broke during the rehearsal?", "violin", 4, map[string]bool{"D2:1": true}},
		{2, "Who mends the violin?", "7", 1, map[string]bool{"D2:1": true, "D2:3": true}},
		{3, "What did Joss say of the Trondheim harbour?", "", 5, map[string]bool{"D10:2": true}},
	}
	if diff := cmp.Diff(want, talks[0].Probes); diff != "" {
		t.Errorf("questions differ (-want +got):\n%s", diff)
	}
}

func TestReadTalks_SaysWhatIsWrong(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"not JSON", `[{`, "talks.json"},
		{"a time that is none", strings.Replace(smallTalks, "9:00 am on 2 May", "tomorrow, 2 May", 1), "session_10"},
		{"a category that is none", strings.Replace(smallTalks, `"category": 4`, `"category": 6`, 1), "category 6"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := readTalks(write(t, "talks.json", tt.content)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("readTalks = %v, want an error with %q", err, tt.want)
			}
		})
	}
	if _, err := readTalks(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Errorf("a missing file gives %v, want an error that names --data", err)
	}
}

func TestEvidence_FindsMalformedIDs(t *testing.T) {
	tests := []struct {
		given []string
		want  map[string]bool
	}{
		{[]string{"D1:3", "D1:3"}, map[string]bool{"D1:3": true}},
		{[]string{"D8:6; D9:17"}, map[string]bool{"D8:6": true, "D9:17": true}},
		{[]string{"D:11:26"}, map[string]bool{"D11:26": true}},
		{[]string{"D30:05"}, map[string]bool{"D30:5": true}},
		{[]string{"D9:1 D4:4 D4:6"}, map[string]bool{"D9:1": true, "D4:4": true, "D4:6": true}},
		{[]string{"D"}, map[string]bool{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, evidence(tt.given)); diff != "" {
			t.Errorf("evidence(%q) differs (-want +got):\n%s", tt.given, diff)
		}
	}
}
