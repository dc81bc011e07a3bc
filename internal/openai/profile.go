package openai

import (
	"errors"
	"net/http"

	goopenai "github.com/sashabaranov/go-openai"
)

// profile is how a model is asked on a server. It starts with the most that can
// be asked for, and gives up what is refused:
//
//	format   json_schema ──> json_object ──> text
//	limit    max_tokens ──> max_completion_tokens ──> none
//	warm     temperature 0 ──> left out
type profile struct {
	format format
	limit  limit
	warm   bool // the temperature is left out: models that reason take none
	sure   bool // an answer came with this format: a refusal is about something else
}

// format is how an answer's shape is asked for.
type format int8

const (
	formatSchema format = iota
	formatObject
	formatText
)

// limit is the name that the limit of an answer goes by.
type limit int8

const (
	limitTokens     limit = iota // the old one, which all servers of one's own know
	limitCompletion              // the one that models which reason want
	limitNone                    // for a server that takes no other limit than its own
)

// profileOf returns what is known of a model. Of one not yet asked it is known
// whether go-openai, by its name, takes it for one that reasons.
func (c *Client) profileOf(chat *Chat) profile {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.profiles[chat.Model]; ok {
		return p
	}
	plain := profile{}
	probe := plain.request(&Chat{Model: chat.Model, MaxTokens: 1})
	if goopenai.NewReasoningValidator().Validate(probe) != nil {
		return profile{limit: limitCompletion, warm: true}
	}
	return plain
}

// learn keeps the profile that brought an answer.
func (c *Client) learn(chat *Chat, p profile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.sure = chat.Schema != nil || p.sure
	if c.profiles == nil {
		c.profiles = map[string]profile{}
	}
	c.profiles[chat.Model] = p
}

// without gives up what err is about, and reports whether there was anything to
// give up. Each step leads down, so a call makes five requests at most.
func (p profile) without(err error, chat *Chat) (profile, bool) {
	var failed *Error
	if !errors.As(err, &failed) {
		return p, false
	}
	switch {
	case failed.about == settingTemperature && !p.warm:
		p.warm = true
	case failed.about == settingLimit && p.limit != limitNone && chat.MaxTokens > 0:
		p = p.withoutLimit(failed)
	case p.format != formatText && chat.Schema != nil && p.mayBeFormat(failed):
		p.format++
	default:
		return p, false
	}
	return p, true
}

// withoutLimit gives up a limit's name, or the limit itself where its number is
// what the server does not take (vLLM, of more than its context has left).
func (p profile) withoutLimit(failed *Error) profile {
	if p.limit == limitCompletion || errors.Is(failed, ErrTooLarge) {
		p.limit = limitNone
	} else {
		p.limit = limitCompletion
	}
	return p
}

// mayBeFormat reports whether a refusal may be about the format. Not every server
// says what it does not take; so, as long as no answer came with it, any refusal
// of the request itself may be.
func (p profile) mayBeFormat(failed *Error) bool {
	if failed.about == settingFormat {
		return true
	}
	return !p.sure && errors.Is(failed, ErrRefused) && failed.about == "" &&
		(failed.Status == http.StatusBadRequest || failed.Status == http.StatusUnprocessableEntity)
}

// setting is a part of a chat's request that a server may not take.
type setting string

const (
	settingTemperature setting = "temperature"
	settingLimit       setting = "limit"
	settingFormat      setting = "format"
)

// settingWords are the words in which servers name a setting, in lower case.
var settingWords = []struct {
	about setting
	words []string
}{
	{settingTemperature, []string{"temperature"}},
	{settingLimit, []string{"max_tokens", "max_completion_tokens"}},
	{settingFormat, []string{"response_format", "json_schema", "json_object", "json schema", "json mode", "structured output", "grammar"}},
}

// about returns the setting that the server's words name, if any.
func (r remark) about() setting {
	for _, s := range settingWords {
		if r.holds(s.words) {
			return s.about
		}
	}
	return ""
}
