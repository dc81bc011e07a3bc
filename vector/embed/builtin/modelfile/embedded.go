package modelfile

// EmbeddedSHA256 is the SHA-256 of vector/embed/builtin/e5-small.model, in hex:
// what mkmodel makes of the wheel with words of 3 bits.
const EmbeddedSHA256 = "8563237ad5c22b39fda9785cba422453fc322ba13f883fd40487a381bffd49c2"
