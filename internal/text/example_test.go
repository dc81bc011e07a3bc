package text_test

import (
	"fmt"

	"mcp-memory/internal/text"
)

func Example() {
	fmt.Println(text.Fold("Ｃafé  臺灣"))
	fmt.Printf("%q\n", text.Terms("She bought the ADR-086 mugs"))
	fmt.Printf("%q\n", text.Terms("我喜欢茶"))
	fmt.Println(text.Language("Ich wohne in München und trinke keinen Kaffee."))
	for _, span := range text.Sentences("我喜欢茶。你呢？") {
		fmt.Println(span)
	}
	// Output:
	// cafe 台湾
	// ["buy" "adr" "086" "adr-086" "mug"]
	// ["喜" "欢" "茶" "我喜" "喜欢" "欢茶"]
	// de
	// {0 15}
	// {15 24}
}
