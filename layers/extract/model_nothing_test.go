package extract

import "testing"

func TestSaysNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"None": true, "N/A": true, "none.": true, "无": true, "暂无。": true, "Not mentioned.": true, "該当なし": true,
		"No preferences were mentioned in the conversation.":               true,
		"No preference or identity information was found.":                 true,
		"No explicit user preferences stated.":                             true,
		"There are no new memories to extract from this conversation.":     true,
		"Nothing to remember.":                                             true,
		"The user did not mention any preferences.":                        true,
		"The conversation does not contain any identity information.":      true,
		"The user doesn't express any specific preference.":                true,
		"The user's name is not mentioned in this conversation.":           true,
		"His exact role was never specified.":                              true,
		"Her book is not mentioned in the bibliography.":                   false,
		"用户没有提到任何偏好。":                                                      true,
		"对话中未涉及身份信息":                                                       true,
		"没有相关信息。":                                                          true,
		"The user has no preference between tea and coffee.":               false,
		"The user has no known allergies.":                                 false,
		"The user wants no meetings mentioned in his weekly report.":       false,
		"The user does not share his location with apps.":                  false,
		"No plans are made by the user before noon.":                       false,
		"The user's band is called No Information.":                        false,
		"None of the user's children eat meat.":                            false,
		"Nothing to Hide is the user's favourite film.":                    false,
		"用户没有兄弟姐妹。":                                                        false,
		"用户没有任何过敏。":                                                        false,
		"用户不喜欢在朋友圈透露个人信息。":                                                 false,
		"The user did not specify the deadline to his team, which failed.": false,
	} {
		if got := saysNothing(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
