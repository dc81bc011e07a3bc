package structure_test

import (
	"testing"

	"mcp-memory/layers/structure"
)

// What is put right in the sentence that says it is said right.
func TestAmended(t *testing.T) {
	for said, want := range map[string]string{
		"I live in Bonn, no wait, Köln, no, actually Aachen.":             "I live in Aachen.",
		"I live in Bonn – no, Köln.":                                      "I live in Köln.",
		"I live in Bonn, sorry, Köln.":                                    "I live in Köln.",
		"I live in Bonn, I mean Köln.":                                    "I live in Köln.",
		"I live in Bonn, wait, in Köln.":                                  "I live in Köln.",
		"I live in Bonn, no, I live in Köln.":                             "I live in Köln.",
		"I live in Bonn, no, not Bonn, Köln.":                             "I live in Köln.",
		"I live in Bonn, no, Köln, and work at Acme.":                     "I live in Köln, and work at Acme.",
		"I live in Berlin, or rather Potsdam.":                            "I live in Potsdam.",
		"I live in Berlin - correction: Potsdam.":                         "I live in Potsdam.",
		"I work at Acme, I mean, Globex.":                                 "I work at Globex.",
		"I work at Acme, scratch that, Globex.":                           "I work at Globex.",
		"I work at Acme (sorry, Globex).":                                 "I work at Globex.",
		"My birthday is March 3rd, sorry, March 4th.":                     "My birthday is March 4th.",
		"My birthday is March 3rd, sorry, 4th.":                           "My birthday is March 4th.",
		"I have a dentist appointment on Tuesday – sorry, Wednesday.":     "I have a dentist appointment on Wednesday.",
		"I have a dentist appointment on Tuesday, sorry, Wednesday at 5.": "I have a dentist appointment on Wednesday at 5.",
		"My dog is called Rex, er, Max.":                                  "My dog is called Max.",
		"My sister Anna, no wait, my cousin Anna, lives in Bonn.":         "My cousin Anna lives in Bonn.",
		"My favourite colour is blue... no, wait, green!":                 "My favourite colour is green!",
		"I'm 34, wait no, 35.":                                            "I'm 35.",
		"I am allergic to peanuts, no, I mean walnuts.":                   "I am allergic to walnuts.",
		"I prefer tea, actually no, coffee.":                              "I prefer coffee.",
		"We moved to Leeds in 2019, no wait, 2020.":                       "We moved to Leeds in 2020.",
		"I'm flying to Porto, oops, Lisbon on Friday.":                    "I'm flying to Lisbon on Friday.",
		"The demo is at 3pm, sorry, 4pm on Friday.":                       "The demo is at 4pm on Friday.",
		"We're using Postgres, scratch that, MySQL, for the new project.": "We're using MySQL for the new project.",
		"我在Google上班，sorry，是在Meta上班。":                                      "我在Meta上班。",
		"I work as a nurse, sorry, as a doctor, at Charité.":              "I work as a doctor at Charité.",
		"我住在北京，不对，是上海。":                                                   "我住在上海。",
		"我住在北京，不对，上海。":                                                    "我住在上海。",
		"我住在北京，哦不，是上海，不不，应该是天津。":                                          "我住在天津。",
		"我在腾讯上班，说错了，是阿里巴巴。":                                               "我在阿里巴巴上班。",
		"我在腾讯上班，说错了，我在阿里巴巴上班。":                                            "我在阿里巴巴上班。",
		"我的生日是三月三号，不对，是四号。":                                               "我的生日是三月四号。",
		"我下周二去看牙医，不对，是下周三。":                                               "我下周三去看牙医。",
		"我下周二去看牙医，不对，周三。":                                                 "我下周三去看牙医。",
		"我今年三十五，不对，三十六岁。":                                                 "我今年三十六岁。",
		"我对花生过敏，我是说核桃。":                                                   "我对核桃过敏。",
		"私は東京、いや、大阪に住んでいます。":                                              "私は大阪に住んでいます。",
		"私は東京に住んでいます、いや、大阪です。":                                            "私は大阪に住んでいます。",
		"来週の火曜日、いや、水曜日に歯医者に行きます。":                                         "来週の水曜日に歯医者に行きます。",
		"私の名前は田中、じゃなくて、中田です。":                                             "私の名前は中田です。",
		"ソニーで働いています、じゃなくて任天堂です。":                                          "任天堂で働いています。",
	} {
		if got, ok := structure.Amended(said); !ok || got != want {
			t.Errorf("Amended(%q) = %q, %v, want %q", said, got, ok, want)
		}
	}
}

// Words of a slip that own to none leave what is said alone.
func TestAmended_OwnsToNoSlip(t *testing.T) {
	for _, said := range []string{
		"I live in Bonn, sorry, my English is not so good.",
		"I live in Köln, sorry, not Bonn.",
		"I hate olives, no, really.",
		"I love pizza, I mean I really love it.",
		"I have no kids, no pets and no car.",
		"I don't drink, no, thanks.",
		"I live in Bonn, actually.",
		"I like tea, actually, and coffee too.",
		"I live in Bonn, er, don't tell anyone that.",
		"我住在北京，不对外公开。",
		"我住在北京，不是上海。",
		"我喜欢咖啡，不好意思，我要先走了。",
		"大阪に住んでいます、いや、本当に。",
		"I like cats, er, dogs too.",
		"我对花生过敏，等等，还有核桃。",
		"コーヒーが好きです、というか大好きです。",
	} {
		if got, ok := structure.Amended(said); ok || got != said {
			t.Errorf("Amended(%q) = %q, %v, want it as it was", said, got, ok)
		}
		st, ok := structure.Parse(structure.Input{Text: said})
		if other, _ := structure.Parse(structure.Input{Text: said}); ok && st.Value != other.Value {
			t.Errorf("%q is read as %q and %q", said, st.Value, other.Value)
		}
	}
}

// A slip whose correction cannot be told leaves nothing to be sure of.
func TestParse_AbstainsOnASlipThatIsNotPutRight(t *testing.T) {
	for _, said := range []string{
		"I live in Bonn, no wait, a small village near it.",
		"I work at Acme, scratch that, as a freelancer.",
		"My name is Jon, no, sorry, with an h.",
		"I work at Acme, no, not anymore.",
		"I prefer Python, uh, sorry, Go for backend work.",
		"我住在北京，不对，记不清了。",
	} {
		if st, ok := structure.Parse(structure.Input{Text: said}); ok && st.Attribute != "" {
			t.Errorf("Parse(%q) = %s %q, want nothing", said, st.Attribute, st.Value)
		}
	}
}

// Where nothing was said yet there is nothing to put right in the sentence itself.
func TestAmended_NothingBeforeIt(t *testing.T) {
	for _, said := range []string{"No, sorry, Köln.", "Oh, I mean Lyon.", "あ、訂正します、京都です。", "哦，不对，是上海。"} {
		if got, ok := structure.Amended(said); ok {
			t.Errorf("Amended(%q) = %q, want it as it was", said, got)
		}
	}
}
