package redact

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// label is a family of words that announce a secret. A blank in a word stands
// for a blank, an underscore, a dash or nothing.
type label struct {
	kind  string
	shape shape    // what its secrets look like
	words []string // lower case
}

// labels are the families, in the order in which they name the kind.
var labels = []label{
	{Password, asWord, []string{
		"password", "passwd", "passphrase", "passcode", "pass word", "pwd", "pw", "psk", // English
		"passwort", "kennwort", "wachtwoord", "mot de passe", "mots de passe", "mdp", // German, Dutch, French
		"contraseña", "contrasena", "senha", "hasło", "lösenord", "passord", "adgangskode", // Spanish, Portuguese, Polish, Nordic
		"salasana", "heslo", "jelszó", "şifre", "kata sandi", "mật khẩu", "lozinka", "parola d'ordine",
		"пароль", "пароля", "كلمة المرور", "كلمة السر", "סיסמה", "पासवर्ड", "รหัสผ่าน",
		"密码", "密碼", "口令", "通行码", "パスワード", "暗証番号", "비밀번호", "비번", "패스워드",
	}},
	{Password, asPin, []string{"pin", "pin code", "passcode", "pin码"}},
	{Card, asCvv, []string{
		"cvv", "cvc", "cvv2", "安全码", "card security code", "card verification code", "card verification value", "card check code",
		"kartenprüfnummer", "code de sécurité", "código de seguridad", "código de segurança", "セキュリティコード",
	}},
	{Password, asCode, []string{
		"verification code", "one time code", "one-time code", "one time passcode", "otp", "otp code", "security code", "login code", "sms code",
		"2fa code", "mfa code", "authentication code", "bestätigungscode", "sicherheitscode", "einmalcode",
		"code de vérification", "código de verificación", "código de verificação", "codice di verifica", "код подтверждения",
		"验证码", "驗證碼", "校验码", "动态码", "動態碼", "認証コード", "確認コード", "인증번호", "인증 코드",
	}},
	{Card, asCheck, []string{"security code"}},
	{PrivateKey, asKey, []string{"private key", "privatekey", "私钥", "私鑰", "秘密鍵", "clé privée", "privater schlüssel"}},
	{APIKey, asKey, []string{
		"api key", "access key", "account key", "secret access key", "secret key", "subscription key",
		"shared access key", "encryption key", "signing key", "master key", "app key", "application key", "service key",
		"license key", "activation key", "client key", "deploy key", "auth key", "api secret",
		"api密钥", "密钥", "秘钥", "密鑰", "金鑰", "apiキー", "api キー", "api 키", "api ключ", "ключ api",
		"clé api", "clé d'api", "api schlüssel", "clave api", "clave de api", "chave de api", "chave da api", "chiave api",
	}},
	{APIKey, asStrict, []string{"key", "schlüssel", "clé", "key值"}},
	{Token, asSecret, []string{"secret", "secreto", "geheimnis", "credential"}},
	{Token, asKey, []string{
		"token", "jeton", "auth token", "access token", "令牌", "トークン", "토큰", "токен",
		"sessionid", "phpsessid", "jsessionid", "connect.sid", "_auth",
	}},
	{Password, asStrong, []string{"pass", "parola", "clave", "암호", "κωδικός"}},
}

// notLabels are the words before a label that make it public.
var notLabels = []string{"public", "publishable", "host", "primary", "foreign", "公"}

// noSecretSuffix are the last parts of names such as PASSWORD_FILE, under
// which something about the secret stands.
var noSecretSuffix = strings.Fields(`hash hashes salt file path dir url uri endpoint id ids field policy length len
	min max name names type expiry expires ttl limit count reset env ref digest algorithm input label hint manager
	encoder rotation version enabled required prompt regex pattern rules strength`)

// envName matches what may follow a label within a name: API_KEY_PROD.
var envName = lazy.MustCompile(`^s?\d?(?:_[a-z0-9]+){0,2}`)

// labelFinders makes a finder per spelling of every label.
func labelFinders() (out []finder) {
	for i, l := range labels {
		for _, word := range l.words {
			for _, spelling := range spellings(word) {
				out = append(out, finder{spelling, l.finder(spelling, rankLabel+i)})
			}
		}
	}
	return out
}

// spellings expands the blanks of a label's word.
func spellings(word string) []string {
	out := []string{word}
	if strings.Contains(word, " ") {
		for _, joint := range []string{"_", "-", ""} {
			out = append(out, strings.ReplaceAll(word, " ", joint))
		}
	}
	return out
}

// finder returns the search for the secret announced by one word of l.
func (l label) finder(word string, rank int) func(text, int) []span {
	return func(t text, at int) (out []span) {
		end, ok := labelEnd(t, at, word)
		if !ok {
			return nil
		}
		if c, ok := announced(t, at, end); ok && l.shape.accepts(c) {
			out = append(out, span{c.start, c.end, l.kind, rank})
		}
		if c, ok := named(t, at, end); ok && l.shape.accepts(c) {
			out = append(out, span{c.start, c.end, l.kind, rank})
		}
		return out
	}
}

// labelEnd returns where the name that starts with the label at t.low[at]
// ends, and whether it is the name of a secret.
func labelEnd(t text, at int, word string) (end int, ok bool) {
	if !labelStarts(t, at, word) {
		return 0, false
	}
	end = at + len(word)
	if word[len(word)-1] >= utf8.RuneSelf {
		return end, true
	}
	suffix := envName.FindString(t.low[end:min(len(t.low), end+64)])
	end += len(suffix)
	if end < len(t.low) && isWord(t.low[end]) {
		return 0, false
	}
	return end, !slices.Contains(noSecretSuffix, suffix[strings.LastIndexByte(suffix, '_')+1:])
}

// labelStarts says whether a label may start at t.low[at]: at the start of a
// word, of a part of a name (DB_PASSWORD, dbPassword), or, when the word is
// long enough not to be the end of another, anywhere (mypassword).
func labelStarts(t text, at int, word string) bool {
	for _, public := range notLabels {
		if strings.HasSuffix(strings.TrimRight(t.low[:at], " _-"), public) {
			return false
		}
	}
	if strings.HasPrefix(t.raw[at:], "PWD=") && (at == 0 || t.raw[at-1] != '_') { // the shell's working directory
		return false
	}
	if at == 0 || word[0] >= utf8.RuneSelf || len(word) >= 6 {
		return true
	}
	before := t.raw[at-1]
	if 'a' <= before|0x20 && before|0x20 <= 'z' {
		camel := 'a' <= before && 'A' <= t.raw[at] && t.raw[at] <= 'Z'
		return camel || t.startsWord(at)
	}
	r, _ := utf8.DecodeLastRuneInString(t.raw[:at])
	return !unicode.IsLetter(r) || isCJK(r)
}

// labelWords is the set of all spellings of all labels.
var labelWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, l := range labels {
		for _, word := range l.words {
			for _, spelling := range spellings(word) {
				set[spelling] = true
			}
		}
	}
	return set
})

// isLabelWord says whether word, in lower case, is a label and nothing else.
func isLabelWord(word string) bool { return labelWords()[word] }

// labelOf returns the family whose word ends the name ("wifi password",
// "DB_PASSWORD", "clientSecret"), the first listed and longest where several do.
func labelOf(name string) (label, bool) {
	t := text{raw: name, low: lower(name)}
	for _, l := range labels {
		for _, word := range l.words {
			for _, s := range spellings(word) {
				at := strings.LastIndex(t.low, s)
				if at < 0 {
					continue
				}
				if end, ok := labelEnd(t, at, s); ok && strings.TrimSpace(t.low[end:]) == "" {
					return l, true
				}
			}
		}
	}
	return label{}, false
}
