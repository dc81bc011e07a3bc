package redact_test

import (
	"strings"
	"testing"

	"mcp-memory/layers/redact"
)

// whole is a complete token of a documented format.
const whole = "ghp_" + "Zt4Rk9QmX2vLw8NcYb6HsJd1Fa5GuEo3TiPz"

func TestRedact_JoinsOnlyWhatIsABrokenKey(t *testing.T) {
	const mark = "[redacted:token]"
	for name, c := range map[string]struct{ text, want string }{
		"two keys":       {whole + "\n" + whole, mark + "\n" + mark},
		"prose":          {whole + "\nNext line", mark + "\nNext line"},
		"word":           {whole + "\ndone", mark + "\ndone"},
		"name":           {whole + "\nServer2Config", mark + "\nServer2Config"},
		"number":         {whole + "\n482913", mark + "\n482913"},
		"commit":         {whole + "\n3f2a9c1 fix", mark + "\n3f2a9c1 fix"},
		"long commit":    {whole + "\n3f2a9c1d0b7e4a5f6c8d9e0f1a2b3c4d5e6f7a8b", mark + "\n3f2a9c1d0b7e4a5f6c8d9e0f1a2b3c4d5e6f7a8b"},
		"uuid":           {whole + "\n123e4567-e89b-12d3-a456-426614174000", mark + "\n123e4567-e89b-12d3-a456-426614174000"},
		"empty line":     {whole + "\n\nw8NcYb6HsJd1Fa5GuEo3", mark + "\n\nw8NcYb6HsJd1Fa5GuEo3"},
		"text behind it": {whole + "\nw8NcYb6HsJd1 is the bin", mark + "\nw8NcYb6HsJd1 is the bin"},
		"no prefix":      {"build Zt4Rk9QmX2vL\nw8NcYb6HsJd1Fa5GuEo3", "build Zt4Rk9QmX2vL\nw8NcYb6HsJd1Fa5GuEo3"},
		"remainder":      {whole + "\n  w8NcYb6HsJd1\nbye", mark + "\nbye"},
		"full size":      {whole[:32] + "\n" + whole[32:] + "\nbye", mark + "\nbye"},
		"quoted mail":    {"> " + whole[:20] + "\n> " + whole[20:], "> " + mark},
		"shell":          {whole[:20] + "\\\n  " + whole[20:], mark},
		"AWS key id":     {"AKIA" + "Z7Q3\n  JSJCIIBOFBCI", "[redacted:api_key]"},
		"AWS and a word": {"AKIA" + "Z7Q3JSJC3IBOFBCI\nSTAGING2", "[redacted:api_key]\nSTAGING2"},
		"camel name":     {whole + "\nmyBucketForServer2Config", mark + "\nmyBucketForServer2Config"},
		"three lines":    {"ghp_Zt4Rk9Qm\nX2vLw8NcYb6H\nsJd1Fa5GuEo3x8", mark},
	} {
		if clean, _ := redact.Redact(c.text); clean != c.want {
			t.Errorf("%s: Redact(%q) = %q, want %q", name, c.text, clean, c.want)
		}
	}
}

func TestRedact_LeavesAmountsBesideACard(t *testing.T) {
	const card = "4012 8888 8888 1881"
	for _, after := range []string{" 100 EUR", " 737.50", ", 250 people", " 12/27", " 2027", " 73", " 7373", " 555,00", ": 737 items"} {
		if clean, _ := redact.Redact("Visa " + card + after); clean != "Visa [redacted:card]"+after {
			t.Errorf("%q gave %q", after, clean)
		}
	}
}

func TestField_SeesThroughDisguise(t *testing.T) {
	for name, value := range map[string]string{
		"pass\u200bword": "swordfish", "ｐａｓｓｗｏｒｄ": "swordfish", "pin": "４８２１", "verification code": "482913", "secret": "Zq8!mmWp22",
	} {
		if clean, kinds := redact.Field(name, value); strings.Contains(clean, value) || len(kinds) != 1 {
			t.Errorf("Field(%q, %q) = %q, %v", name, value, clean, kinds)
		}
	}
}

func TestRedact_HidesASecretThatIsSpreadWithInvisibleCharacters(t *testing.T) {
	for _, gap := range []string{"\u200b", "\u200c", "\u200d", "\u00ad", "\u2060", "\ufeff", "\ufe0f", "\U000e0041"} {
		clean, _ := redact.Redact("token " + strings.Join(strings.Split(whole, ""), gap) + " end")
		if clean != "token [redacted:token] end" {
			t.Errorf("with %+q: %q", gap, clean)
		}
	}
}
