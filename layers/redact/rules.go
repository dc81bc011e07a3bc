package redact

// rule is one documented format, or one place where only a secret stands.
type rule struct {
	kind    string
	name    string                   // whose format it is
	anchors string                   // literal beginnings, separated by blanks
	rest    string                   // RE2, after the anchor; its groups are the secrets, without groups all is
	check   func(secret string) bool // nil: letters and digits, or both cases; always: and no placeholder
}

// formats are keys and tokens that are known by their looks. Sources are the
// issuers' public documents; lengths are lower bounds, since issuers lengthen
// their keys over time. Anchors keep their case.
var formats = []rule{
	{APIKey, "Anthropic", "sk-ant-", `[\w-]{16,}`, nil},
	{APIKey, "OpenAI", "sk-proj- sk-svcacct- sk-admin- sk-None-", `[\w-]{16,}`, nil},
	{APIKey, "OpenAI's older form, used by many others", "sk-", `[\w-]{16,}`, dense},
	{APIKey, "AWS access key id", "AKIA ASIA ABIA ACCA", `[A-Z0-9]{12,20}\b`, nil},
	{APIKey, "AWS secret key beside its id", "AKIA ASIA", `[A-Z0-9]{12,20}(?s:.{0,80}?[^\w/+])([A-Za-z0-9/+]{40})(?:[^\w/+]|$)`, dense},
	{APIKey, "Google", "AIza", `[\w-]{30,}`, nil},
	{APIKey, "Google OAuth client secret", "GOCSPX-", `[\w-]{20,}`, nil},
	{Token, "Google OAuth access token", "ya29.", `[\w-]{20,}`, nil},
	{Token, "Google OAuth refresh token", "1//0", `[\w-]{30,}`, nil},
	{APIKey, "Stripe", "sk_live_ sk_test_ rk_live_ rk_test_", `[A-Za-z0-9]{10,}`, nil},
	{APIKey, "Stripe webhook secret", "whsec_", `[A-Za-z0-9+/]{20,90}=*`, nil},
	{APIKey, "ElevenLabs", "sk_", `[0-9a-f]{40,}\b`, nil},
	{APIKey, "Alibaba Cloud, Tencent Cloud, Volcengine", "LTAI AKID AKLT", `[A-Za-z0-9]{12,}\b`, dense},
	{APIKey, "Mailgun", "key-", `[0-9a-f]{32}\b`, nil},
	{APIKey, "SendGrid", "SG.", `[\w-]{16,}\.[\w-]{16,}`, nil},
	{APIKey, "Twilio", "SK", `[0-9a-f]{32}\b`, nil},
	{APIKey, "Brevo", "xkeysib-", `[\w-]{32,}`, nil},
	{APIKey, "Resend", "re_", `[A-Za-z0-9]{8}_[A-Za-z0-9]{16,}`, dense},
	{APIKey, "Linear", "lin_api_ lin_oauth_", `[A-Za-z0-9]{20,}`, nil},
	{APIKey, "Notion", "ntn_ secret_", `[A-Za-z0-9]{32,}`, dense},
	{APIKey, "Postman, New Relic, Contentful", "PMAK- NRAK- CFPAT-", `[\w-]{20,}`, nil},
	{APIKey, "Airtable", "pat", `[A-Za-z0-9]{14}\.[0-9a-f]{40,}`, nil},
	{APIKey, "xAI, Groq, Perplexity, Replicate, Fireworks, Tavily", "xai- gsk_ pplx- r8_ fw_ tvly-", `[\w-]{20,}`, dense},
	{APIKey, "Pinecone, LangSmith, NVIDIA, Firecrawl, Jina", "pcsk_ lsv2_pt_ lsv2_sk_ nvapi- fc- jina_", `[\w-]{20,}`, dense},
	{APIKey, "Mem0, Hindsight, RetainDB, ByteRover", "m0- mem0_ hsk- retaindb_ brv_", `[\w-]{20,}`, dense},
	{APIKey, "RunPod, Vercel, Brave Search", "rpa_ vcp_ vca_ vci_ vcr_ vck_ BSA", `[\w-]{24,}`, dense},
	{APIKey, "Voyage", "pa-", `[\w-]{40,}`, dense},
	{APIKey, "Grafana, Sentry, Dynatrace", "glsa_ glc_ sntrys_ sntryu_ dt0c01.", `[\w.+/=-]{20,200}`, nil},
	{APIKey, "Supabase, Clerk, PlanetScale", "sbp_ sb_secret_ pscale_tkn_ pscale_pw_ pscale_oauth_", `[\w-]{20,}`, nil},
	{APIKey, "Square", "sq0csp- sq0atp- EAAA", `[\w-]{20,}`, dense},
	{Token, "GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", `[A-Za-z0-9]{20,}`, nil},
	{Token, "GitHub fine-grained", "github_pat_", `\w{20,}`, nil},
	{Token, "GitLab", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt-", `[\w.-]{16,200}\w`, nil},
	{Token, "Slack", "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-", `[\w.-]{10,}\w`, nil},
	{Token, "npm", "npm_", `[A-Za-z0-9]{30,}`, nil},
	{Token, "PyPI", "pypi-", `[\w-]{16,}`, dense},
	{Token, "RubyGems, Docker Hub, CircleCI", "rubygems_ dckr_pat_ CCIPAT_", `[\w-]{20,}`, nil},
	{Token, "Hugging Face", "hf_ api_org_", `[A-Za-z0-9]{25,}\b`, nil},
	{Token, "Discord bot", "MD MT Mj Mz ND NT Nj Nz OD OT", `[\w-]{21,27}\.[\w-]{6,7}\.[\w-]{25,}`, nil},
	{Token, "DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", `[0-9a-f]{32,}`, nil},
	{Token, "Databricks", "dapi", `[0-9a-f]{32}(?:-\d)?\b`, nil},
	{Token, "Shopify", "shpat_ shpca_ shppa_ shpss_", `[0-9A-Fa-f]{32}`, nil},
	{Token, "Atlassian", "ATATT3 ATCTT3 ATBB", `[\w=-]{20,}`, dense},
	{Token, "HashiCorp Vault, Pulumi, Doppler", "hvs. hvb. hvr. pul- dp.pt. dp.st. dp.sa.", `[\w-]{20,}`, dense},
	{Token, "Heroku, Netlify, Figma, Tailscale", "HRKU- nfp_ figd_ tskey-", `[\w-]{20,}`, nil},
	{Token, "Facebook", "EAA", `[A-Za-z0-9]{60,}`, dense},
	{Token, "Mapbox secret", "sk.eyJ", `[\w-]{20,}\.[\w-]{10,}`, nil},
	{Token, "Plaid", "access-production- access-development- access-sandbox-", `[0-9a-f-]{36}`, nil},
	{Token, "1Password", "ops_eyJ", `[\w=-]{40,}`, nil},
	{PrivateKey, "age", "AGE-SECRET-KEY-1", `[A-Z0-9]{40,}`, nil},
	{PrivateKey, "BIP 32 extended key", "xprv yprv zprv tprv", `[1-9A-HJ-NP-Za-km-z]{70,}`, nil},
	{Password, "bcrypt", "$2a$ $2b$ $2y$", `\d\d\$[./A-Za-z0-9]{53}`, nil},
	{Password, "Argon2, scrypt, PBKDF2", "$argon2 $scrypt $pbkdf2", `[a-z0-9-]*\$[\w=,./+-]+\$[\w$=,./+-]{16,}`, nil},
}

// places are known by where a secret stands. Anchors are lower case.
var places = []rule{
	{Token, "Bearer", "bearer", `\s+"?([\w.~+/-]{8,}=*)`, bearer},
	{Password, "HTTP basic authentication", "basic", `\s+"?([A-Za-z0-9+/]{6,}={0,2})`, basicPair},
	{Token, "Authorization header", "authorization proxy-authorization", `\\?["']?\s*[:=]\s*\\?["']?(?:[a-z-]+\s+)?([^\s"',;\\]{8,})`, bearer},
	{Password, "URL with a password", "://", `[^\s:/@?#"'<>]*:([^\s/]+?)@[\w.$\[\]{}-]+(?::\d+)?(?:[/?#\s"'\x60<>),;\\]|$)`, urlPassword},
	{Token, "URL with a token", "://", `([\w.-]{16,})@[\w\[]`, dense},
	{Password, "curl", "curl", `\s(?:[^\n]{0,200}?\s)?(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"']+:([^\s"']{3,})`, nil},
	{Password, "sshpass, redis-cli", "sshpass redis-cli", `\s(?:[^\n]{0,80}?\s)?-[pa]\s*["']?([^\s"']{3,})`, always},
	{Password, "netrc", "machine", `\s+\S+\s+login\s+\S+\s+password\s+(\S{3,})`, always},
	{Password, "user and password", "credentials creds login logins", `(?:\s+(?:are|is))?\s*[:=]?\s*["'\x60(]?[a-z][\w.@+-]{1,64}\s?[:/]\s?([^\s"'\x60/:]{4,64})`, strong},
	{Password, "change of password", "password passwort passcode pin pwd", `\s+(?:from|von)\s+["'\x60]?([^\s"'\x60]{4,64})["'\x60]?\s+(?:to|auf|zu)\s+["'\x60]?([^\s"'\x60]{4,64})`, trimmedStrong},
	{Password, "change of password in Chinese", "密码 密碼 口令", `从\s?([!-~]{4,64})\s?(?:改|换|換|变|變)(?:成|为|為|到)?了?\s?([!-~]{4,64})`, trimmedStrong},
	{Password, "passphrase of several words", "passphrase", `(?:\s+(?:is|was))?[:=]?\s+([a-z]+(?: [a-z]+){3,7})(?:[.,;\n]|$)`, phrase},
	{PrivateKey, "BIP 39 seed phrase", "phrase mnemonic 助记词", `(?:\s(?:for|of|to)(?:\s\w{1,16}){1,4}?)?\s?(?:is|was|[:：=是])[:\s]*["'\x60]?([a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})`, always},
	{Token, "Slack webhook", "hooks.slack.com/", `(?:services|workflows|triggers)/([\w/]{20,200})`, nil},
	{Token, "Discord webhook", "discord.com/api/ discordapp.com/api/", `(?:v\d+/)?webhooks/\d+/([\w-]{20,})`, nil},
	{Token, "Teams webhook", "webhook.office.com/", `webhookb2/([\w@/-]{36,250})`, nil},
	{Token, "signed URL", "x-amz-signature= x-amz-security-token= x-goog-signature=", `([\w%+/=-]{16,})`, nil},
	{Token, "Azure SAS", "?sig= &sig= ;sig= sharedaccesssignature=", `([\w%+/-]{30,200}=*)`, nil},
}
