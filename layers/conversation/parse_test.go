package conversation_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/conversation"
)

func TestParseContent(t *testing.T) {
	for raw, want := range map[string]string{
		`"plain"`: "plain",
		`null`:    "",
		`[]`:      "",
		`[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"two"}]`: "one\ntwo",
		`[{"type":"input_text","text":"in"},{"type":"output_text","text":"out"}]`:                                  "in\nout",
		`{"content_type":"text","parts":["a","b"]}`:                                                                "a\nb",
		`{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer"},"look"]}`:               "look",
		`["x","y"]`: "x\ny",
		`[{"type":"tool_result","content":"secret"},{"type":"text","text":"t"}]`: "t",
	} {
		got, err := conversation.ParseContent(json.RawMessage(raw))
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", raw, got, err, want)
		}
	}
	for raw, says := range map[string]string{
		`5`:                  "neither a string nor a list",
		`[{"type":"telex"}]`: `type "telex" is unknown`,
		`{"a":1}`:            "without text",
		`[[[[[["deep"]]]]]]`: "deep",
		`[5]`:                "part 0",
	} {
		if _, err := conversation.ParseContent(json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error that says %q", raw, err, says)
		}
	}
}

func TestParseText(t *testing.T) {
	type turn = conversation.Turn
	at := func(day, hour, minute, second int) time.Time {
		return time.Date(2024, 3, day, hour, minute, second, 0, time.UTC)
	}
	for text, want := range map[string][]turn{
		"Just a note about tea.":                                    {{Role: "user", Content: "Just a note about tea."}},
		"Remember: milk":                                            {{Role: "user", Content: "Remember: milk"}},
		"Anna: I like tea.\nBen: I don't.\nreally":                  {{Role: "user", Name: "Anna", Content: "I like tea."}, {Role: "user", Name: "Ben", Content: "I don't.\nreally"}},
		"User: hi\nAssistant: hello":                                {{Role: "user", Content: "hi"}, {Role: "assistant", Content: "hello"}},
		"[10:02] Anna: hi\n[10:03] Ben: ho":                         {{Role: "user", Name: "Anna", Content: "hi"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"用户：我住在厦门\n助手：好的":                                           {{Role: "user", Content: "我住在厦门"}, {Role: "assistant", Content: "好的"}},
		"**Human:** hi\n**Claude:** yes":                            {{Role: "user", Content: "hi"}, {Role: "assistant", Content: "yes"}},
		"Dear all,\nNote: the office is closed.\nSubject: holidays": {{Role: "user", Content: "Dear all,\nNote: the office is closed.\nSubject: holidays"}},
		"[05/03/2024, 10:01:33] Anna: hi\n\u200e[25/03/2024, 10:02:10\u202fPM] Ben: ho": {
			{Role: "user", Name: "Anna", Content: "hi", Time: at(5, 10, 1, 33)}, {Role: "user", Name: "Ben", Content: "ho", Time: at(25, 22, 2, 10)}},
		"05/03/2024, 10:01 - Anna: hi\n05/03/2024, 10:02 - Ben: ho": {{Role: "user", Name: "Anna", Content: "hi"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"Anna (2024-03-05 10:01): hi\nBen (2024-03-05 10:02): ho":   {{Role: "user", Name: "Anna", Content: "hi", Time: at(5, 10, 1, 0)}, {Role: "user", Name: "Ben", Content: "ho", Time: at(5, 10, 2, 0)}},
		"Anna  10:01 AM\nhi\nthere\nBen  10:02 AM\nho":              {{Role: "user", Name: "Anna", Content: "hi\nthere"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"小红 2024/3/5 10:01:33\n你好\n小明 2024/3/5 10:02:10\n在":         {{Role: "user", Name: "小红", Content: "你好", Time: at(5, 10, 1, 33)}, {Role: "user", Name: "小明", Content: "在", Time: at(5, 10, 2, 10)}},
		"2024年3月5日 下午3:01 小红：你好\n2024年3月5日 下午3:02 小明：在":             {{Role: "user", Name: "小红", Content: "你好", Time: at(5, 15, 1, 0)}, {Role: "user", Name: "小明", Content: "在", Time: at(5, 15, 2, 0)}},
		"Anna, [05.03.2024 10:01]\nhi\nBen, [05.03.2024 10:02]\nho": {{Role: "user", Name: "Anna", Content: "hi", Time: at(5, 10, 1, 0)}, {Role: "user", Name: "Ben", Content: "ho", Time: at(5, 10, 2, 0)}},
		"## User\nhi\n\nthere\n\n## Assistant\nhello\na\nb\nc\nd":   {{Role: "user", Content: "hi\n\nthere"}, {Role: "assistant", Content: "hello\na\nb\nc\nd"}},
		"### Human: hi\n### Assistant: hello":                       {{Role: "user", Content: "hi"}, {Role: "assistant", Content: "hello"}},
		"# Install: run it\n# Remove: delete it":                    {{Role: "user", Content: "# Install: run it\n# Remove: delete it"}},
		"**User**\nhi\n**Assistant**\nhello":                        {{Role: "user", Content: "hi"}, {Role: "assistant", Content: "hello"}},
		"Standup 10:00\nLunch 12:30\nReview 15:00":                  {{Role: "user", Content: "Standup 10:00\nLunch 12:30\nReview 15:00"}},
		"Flight 10:00 AM\nLunch 12:30 PM\nHotel 3:00 PM":            {{Role: "user", Content: "Flight 10:00 AM\nLunch 12:30 PM\nHotel 3:00 PM"}},
		"## Plan\ntea\n## Budget\nnone":                             {{Role: "user", Content: "## Plan\ntea\n## Budget\nnone"}},
		"Monday: I swim.\nTuesday: I have piano.":                   {{Role: "user", Content: "Monday: I swim.\nTuesday: I have piano."}},
		"Monday 10:00 AM\nI swim.\nTuesday 11:00 AM\nI play.":       {{Role: "user", Content: "Monday 10:00 AM\nI swim.\nTuesday 11:00 AM\nI play."}},
		"Lundi : piscine\nMardi : piano":                            {{Role: "user", Content: "Lundi : piscine\nMardi : piano"}},
		"\ufeff10:02 Amy: hi\r\n10:03 Ben: ho":                      {{Role: "user", Name: "Amy", Content: "hi"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"5/3/24, 10:01 a. m. - Ana: hi\n15/3/24, 10:02 p. m. - Ben: ho": {
			{Role: "user", Name: "Ana", Content: "hi", Time: at(5, 10, 1, 0)}, {Role: "user", Name: "Ben", Content: "ho", Time: at(15, 22, 2, 0)}},
		"05/03/2024 à 10:01 - Ana: hi\n15/03/2024 à 10:02 - Ben: ho": {
			{Role: "user", Name: "Ana", Content: "hi", Time: at(5, 10, 1, 0)}, {Role: "user", Name: "Ben", Content: "ho", Time: at(15, 10, 2, 0)}},
		"2024년 3월 5일 오후 3:01, 소희 : hi\n2024. 3. 5. 오전 12:02, 민수 : ho": {
			{Role: "user", Name: "소희", Content: "hi", Time: at(5, 15, 1, 0)}, {Role: "user", Name: "민수", Content: "ho", Time: at(5, 0, 2, 0)}},
		"My job: nurse\nMy city: Berlin":                             {{Role: "user", Content: "My job: nurse\nMy city: Berlin"}},
		"爱好：下棋\n职业：医生":                                               {{Role: "user", Content: "爱好：下棋\n职业：医生"}},
		"Flight to Bonn 10:35 AM\nSeat 12A.\nTram to Ulm 2:15 PM\nx": {{Role: "user", Content: "Flight to Bonn 10:35 AM\nSeat 12A.\nTram to Ulm 2:15 PM\nx"}},
		"I: hi\nBen: ho": {{Role: "user", Name: "I", Content: "hi"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"13/03/2024, 10:01 - Messages and calls are end-to-end encrypted.\n13/03/2024, 10:01 - +49 170 1234567: hi\n13/03/2024, 10:02 - Ben left\n13/03/2024, 10:02 - ~ Dr. Ben ☕: ho: ho": {
			{Role: "system", Content: "13/03/2024, 10:01 - Messages and calls are end-to-end encrypted."},
			{Role: "user", Name: "+49 170 1234567", Content: "hi", Time: at(13, 10, 1, 0)},
			{Role: "system", Content: "13/03/2024, 10:02 - Ben left"},
			{Role: "user", Name: "Dr. Ben ☕", Content: "ho: ho", Time: at(13, 10, 2, 0)}},
		"2024-03-05 10:01:33 - started\n2024-03-05 10:01:34 - server.go: listens": {{Role: "user", Content: "2024-03-05 10:01:33 - started\n2024-03-05 10:01:34 - server.go: listens"}},
		"Ada: I moved to Oslo.\nIt is cold.":                                      {{Role: "user", Name: "Ada", Content: "I moved to Oslo.\nIt is cold."}},
		"Ben: I moved to Oslo.":                                                   {{Role: "user", Content: "Ben: I moved to Oslo."}},
		"me: I moved to Oslo.":                                                    {{Role: "user", Content: "I moved to Oslo."}},
		"Assistant: I prefer tea.\n- or coffee":                                   {{Role: "assistant", Content: "I prefer tea.\n- or coffee"}},
		"助手：我喜欢喝茶。":                                                               {{Role: "assistant", Content: "我喜欢喝茶。"}},
		"Model: X200":                                                             {{Role: "user", Content: "Model: X200"}},
		"Dear Ada,\nUser: bob":                                                    {{Role: "user", Content: "Dear Ada,\nUser: bob"}},
		"  ":                                                                      nil,
		"Anna\n  10:01 AM\nhi\n10:02\nthere\nBen\n  10:03 AM\nho":                 {{Role: "user", Name: "Anna", Content: "hi\nthere"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"Anna\n — \nToday at 10:01 AM\nhi\nBen\n — \nToday at 10:02 AM\nho":                                                                           {{Role: "user", Name: "Anna", Content: "hi"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"2024-03-05 10:01:33 张伟(123456)\n你好\n\n2024-03-05 10:02:10 李娜<li@qq.com>\n在":                                                                  {{Role: "user", Name: "张伟", Content: "你好", Time: at(5, 10, 1, 33)}, {Role: "user", Name: "李娜", Content: "在", Time: at(5, 10, 2, 10)}},
		"[10:01 AM] Anna Smith\nhi\n[10:02 AM] Ben\nho":                                                                                               {{Role: "user", Name: "Anna Smith", Content: "hi"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"张伟 10:01\n你好\n李娜 10:02\n在":                                                                                                                   {{Role: "user", Name: "张伟", Content: "你好"}, {Role: "user", Name: "李娜", Content: "在"}},
		"张伟 昨天 10:01\n你好\n李娜 星期四 10:02\n在":                                                                                                            {{Role: "user", Name: "张伟", Content: "你好"}, {Role: "user", Name: "李娜", Content: "在"}},
		"[LINE] Chat history with Hana\nSaved on: 2024/03/06 10:00\n\n2024/03/05(Tue)\n10:01\tHana\thi\n10:02\tKen\tho\n10:03\tKen unsent a message.": {{Role: "system", Content: "[LINE] Chat history with Hana\nSaved on: 2024/03/06 10:00"}, {Role: "system", Content: "2024/03/05(Tue)"}, {Role: "user", Name: "Hana", Content: "hi", Time: at(5, 10, 1, 0)}, {Role: "user", Name: "Ken", Content: "ho", Time: at(5, 10, 2, 0)}, {Role: "system", Content: "10:03\tKen unsent a message."}},
		"--------------- 2024년 3월 5일 화요일 ---------------\n[소희] [오전 10:01] hi\n[민수] [오후 3:02] ho\n[소희] [오후 3:03] hm":                                   {{Role: "system", Content: "--------------- 2024년 3월 5일 화요일 ---------------"}, {Role: "user", Name: "소희", Content: "hi", Time: at(5, 10, 1, 0)}, {Role: "user", Name: "민수", Content: "ho", Time: at(5, 15, 2, 0)}, {Role: "user", Name: "소희", Content: "hm", Time: at(5, 15, 3, 0)}},
		"<Anna> hi\n<Ben> ho":          {{Role: "user", Name: "Anna", Content: "hi"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"anna_92: hi\nben.k: ho":       {{Role: "user", Name: "anna_92", Content: "hi"}, {Role: "user", Name: "ben.k", Content: "ho"}},
		"@anna: hi\nDr. Ben Smith: ho": {{Role: "user", Name: "anna", Content: "hi"}, {Role: "user", Name: "Dr. Ben Smith", Content: "ho"}},
		"Anna (mum): hi\nBen: ho":      {{Role: "user", Name: "Anna", Content: "hi"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"[10:01] Anna: hi\nthere":      {{Role: "user", Name: "Anna", Content: "hi\nthere"}},
		"Mar 5, 2024, 10:01 PM - Anna: hi\n5 March 2024 10:02 - Ben: ho": {{Role: "user", Name: "Anna", Content: "hi", Time: at(5, 22, 1, 0)}, {Role: "user", Name: "Ben", Content: "ho", Time: at(5, 10, 2, 0)}},
		"Anna: hi":                               {{Role: "user", Content: "Anna: hi"}},
		"18:00 Yoga: bring the mat":              {{Role: "user", Content: "18:00 Yoga: bring the mat"}},
		"Yoga 10:02\nhi\nSwimming 12:00\nho":     {{Role: "user", Content: "Yoga 10:02\nhi\nSwimming 12:00\nho"}},
		"Thursday\n10:02\nhi\nFriday\n10:03\nho": {{Role: "user", Content: "Thursday\n10:02\nhi\nFriday\n10:03\nho"}},
		"09:00\tStandup\thi\n10:00\tReview\tho":  {{Role: "user", Content: "09:00\tStandup\thi\n10:00\tReview\tho"}},
		"main.go: hi\nmail.go: ho":               {{Role: "user", Content: "main.go: hi\nmail.go: ho"}},
	} {
		if got := conversation.ParseText(text, time.UTC, "Ada"); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %+v\nwant %+v", text, got, want)
		}
	}
}
