package vector

// OpenAuto is an auto engine that has a graph from the given number of vectors
// on: tests need not add GraphFrom of them.
func OpenAuto(set *Set, from int) *HNSW { return openAuto(set, from) }
