package slot

import "strings"

// user is how the user's own entity is shown and compared.
const user = "user"

// Entity returns how an entity is shown and the key by which it is compared.
//
// I, me, my, myself, user, the user, 我, 俺, 咱, 本人, 用户, 私, 僕, ユーザー and any of
// userNames are the user: ("user", "user"). Otherwise display is the name with
// white space collapsed, its case kept. The key is NFKC and case folded, without
// accents on Latin and Greek letters, with '_' and dashes as spaces, without a
// leading "the" and without a closing possessive ('s), so that "Aunt Olga's"
// is Aunt Olga. The key of a display is the key of its name.
func Entity(name string, userNames ...string) (display, key string) {
	display = collapse(name)
	key = entityKey(name)
	if isUser(key) {
		return user, user
	}
	for _, n := range userNames {
		if k := entityKey(n); k != "" && k == key {
			return user, user
		}
	}
	return display, key
}

func isUser(key string) bool {
	switch key {
	case "i", "me", "my", "myself", user,
		"我", "我自己", "自己", "俺", "咱", "本人", "用户", "用戶", "使用者",
		"私", "わたし", "仆", "ぼく", "おれ", "自分", "ユーザー":
		return true
	}
	return false
}

// entityKey strips until nothing is left to strip, so that a key is its own key.
func entityKey(name string) string {
	key := clean(unaccented(caseless(name)))
	for {
		next := strings.TrimPrefix(key, "the ")
		next = strings.TrimSpace(strings.TrimSuffix(next, "'s"))
		if next == key || next == "" {
			return key
		}
		key = next
	}
}
