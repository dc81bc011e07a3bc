package bunt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mcp-memory/storage"
)

// check says whether op fits the state. Error: [storage.ErrConflict].
func (s *state) check(op storage.Op) error {
	if !op.At.After(s.last) {
		return fmt.Errorf("%w: operation at %v is not later than the last at %v", storage.ErrConflict, op.At, s.last)
	}
	fresh := make(map[string]bool, len(op.Put))
	for i := range op.Put {
		if err := s.checkPut(op, &op.Put[i], fresh); err != nil {
			return err
		}
	}
	for i := range op.Reinforce {
		if err := s.checkReinforce(op, &op.Reinforce[i], fresh); err != nil {
			return err
		}
	}
	if err := s.checkKnown("withdraw", op.User, op.Withdraw, fresh); err != nil {
		return err
	}
	if err := s.checkForget(op, fresh); err != nil {
		return err
	}
	if err := s.checkRestore(op, fresh); err != nil {
		return err
	}
	if err := s.checkErased(op); err != nil {
		return err
	}
	if err := s.talk.check(op); err != nil {
		return err
	}
	return checkText(&op)
}

func (s *state) checkPut(op storage.Op, r *storage.Record, fresh map[string]bool) error {
	_, known := s.index[r.ID]
	switch {
	case r.ID == "":
		return fmt.Errorf("%w: put: record without id", storage.ErrConflict)
	case known || fresh[r.ID]:
		return fmt.Errorf("%w: put %s: the id exists", storage.ErrConflict, r.ID)
	case r.User != op.User:
		return fmt.Errorf("%w: put %s: record of another user", storage.ErrConflict, r.ID)
	case r.RecordedAt.After(op.At):
		return fmt.Errorf("%w: put %s: recorded after its operation", storage.ErrConflict, r.ID)
	}
	fresh[r.ID] = true
	return nil
}

func (s *state) checkReinforce(op storage.Op, r *storage.Reinforcement, fresh map[string]bool) error {
	if err := s.checkKnown("reinforce", op.User, []string{r.ID}, fresh); err != nil {
		return err
	}
	if r.RecordedAt.After(op.At) {
		return fmt.Errorf("%w: reinforce %s: recorded after its operation", storage.ErrConflict, r.ID)
	}
	return s.checkContent("reinforce", []string{r.ID})
}

func (s *state) checkForget(op storage.Op, fresh map[string]bool) error {
	if op.Forget == nil {
		return nil
	}
	receipt := op.Forget.Receipt
	begun, known := s.receipts[userKey{op.User, receipt}]
	switch {
	case receipt == "" || known && !op.Forget.More:
		return fmt.Errorf("%w: forget: receipt %q is empty or exists", storage.ErrConflict, receipt)
	case op.Forget.More && (!known || begun.erase != (op.Forget.Erase != nil) || begun.ended != ""):
		return fmt.Errorf("%w: forget: receipt %q was not begun so, or has ended", storage.ErrConflict, receipt)
	}
	ids := make([]string, len(op.Forget.Records))
	for i, t := range op.Forget.Records {
		ids[i] = t.ID
	}
	return s.checkKnown("forget", op.User, ids, fresh)
}

func (s *state) checkRestore(op storage.Op, fresh map[string]bool) error {
	if err := s.checkKnown("restore", op.User, op.Restore, fresh); err != nil {
		return err
	}
	return s.checkContent("restore", op.Restore)
}

// checkKnown refuses ids that are neither the user's nor put by the same
// operation.
func (s *state) checkKnown(what, user string, ids []string, fresh map[string]bool) error {
	for _, id := range ids {
		r, known := s.find(id)
		if known && r.user != user || !known && !fresh[id] {
			return fmt.Errorf("%w: %s %s: the user has no such record", storage.ErrConflict, what, id)
		}
	}
	return nil
}

// checkContent refuses ids whose content is gone.
func (s *state) checkContent(what string, ids []string) error {
	for _, id := range ids {
		switch r, _ := s.find(id); {
		case r.isPurged():
			return fmt.Errorf("%w: %s %s: the record was purged", storage.ErrConflict, what, id)
		case r.isErased():
			return fmt.Errorf("%w: %s %s: the record was erased", storage.ErrConflict, what, id)
		}
	}
	return nil
}

// checkErased refuses the end of what is no open erase of the user.
func (s *state) checkErased(op storage.Op) error {
	for _, e := range op.Erased {
		r, known := s.receipts[userKey{op.User, e.Receipt}]
		if !known || !r.erase || r.ended != "" {
			return fmt.Errorf("%w: end of erase %q: the user has no such open one", storage.ErrConflict, e.Receipt)
		}
	}
	return nil
}

// checkText refuses text that is not UTF-8: encoding/json would replace it, and
// what is read would not be what was put.
func checkText(op *storage.Op) error {
	for i := range op.Put {
		r := &op.Put[i]
		texts := append(sourceTexts(&r.Source), r.ID, r.User, r.Project, string(r.Layer), string(r.Tier), r.Entity,
			r.Attribute, r.Value, r.Category, r.Text, r.Reason, string(r.Trust), string(r.Detail), r.Language,
			r.Object, r.Polarity, strings.Join(r.Tags, " "), strings.Join(r.Closes, " "))
		if !valid(texts) {
			return fmt.Errorf("%w: put %q: text is not UTF-8", storage.ErrConflict, r.ID)
		}
	}
	for i := range op.Reinforce {
		r := &op.Reinforce[i]
		if !valid(append(sourceTexts(&r.Source), string(r.Trust), strings.Join(r.Tags, " "))) {
			return fmt.Errorf("%w: reinforce %q: text is not UTF-8", storage.ErrConflict, r.ID)
		}
	}
	if !valid(headTexts(op)) {
		return fmt.Errorf("%w: a name in the operation is not UTF-8", storage.ErrConflict)
	}
	return nil
}

func sourceTexts(s *storage.Source) []string {
	return []string{s.ID, s.Session, strings.Join(s.MessageIDs, " "), s.Role, s.Speaker, s.Quote}
}

func headTexts(op *storage.Op) []string {
	texts := append([]string{op.User}, op.Seen...)
	for i := range op.Hear {
		t := &op.Hear[i]
		texts = append(texts, t.Session, t.ID, t.Source, t.Role, t.Speaker, t.Text)
	}
	for i := range op.Read {
		texts = append(texts, op.Read[i].Session)
	}
	for i := range op.Jobs {
		texts = append(texts, op.Jobs[i].ID)
	}
	if op.Answer != nil {
		texts = append(texts, op.Answer.Key, op.Answer.Hash)
	}
	for i := range op.Answers {
		texts = append(texts, op.Answers[i].Key, op.Answers[i].Hash)
	}
	for i := range op.Erased {
		texts = append(append(texts, op.Erased[i].Unreached...), op.Erased[i].Gone...)
	}
	if op.Forget == nil {
		return texts
	}
	texts = append(texts, op.Forget.Receipt, op.Forget.Reason)
	if erase := op.Forget.Erase; erase != nil {
		texts = append(texts, erase.SourceHash)
	}
	if ahead := op.Forget.Ahead; ahead != nil {
		texts = append(append(texts, ahead.IDs...), ahead.SourceHash)
	}
	for i := range op.Forget.Records {
		t := &op.Forget.Records[i]
		texts = append(texts, t.ProjectHash, t.Entity, t.EntityHash, t.Attribute, t.ObjectHash, t.SourceHash,
			strings.Join(t.MessageHash, " "), t.TextHash)
	}
	return texts
}

func valid(texts []string) bool {
	for _, t := range texts {
		if !utf8.ValidString(t) {
			return false
		}
	}
	return true
}
