package keyword

// document is the way back from a document to its postings, so that removing
// it touches no other list.
type document struct {
	places []uint32 // distinct terms, as places in Index.lists, ascending
	length uint32   // terms with repeats
	held   bool     // false in a gap between numbers
}

// pageSize is the number of documents whose storage comes and goes together.
const pageSize = 512

// page is a stretch of documents with neighbouring numbers.
type page struct {
	docs [pageSize]document
	n    int // of them held
}

// documents is a sparse array: looking a document up, which scoring does for
// every posting, costs two indexings where a map would cost a cache miss.
type documents struct {
	pages []*page // by number / pageSize; nil where none is held
	n     int     // documents held
}

// at returns a document, the zero one when it is not held.
func (d *documents) at(doc uint32) document {
	if p := d.page(doc); p != nil {
		return p.docs[doc%pageSize]
	}
	return document{}
}

func (d *documents) page(doc uint32) *page {
	if at := int(doc / pageSize); at < len(d.pages) {
		return d.pages[at]
	}
	return nil
}

// put stores a document that is not held yet.
func (d *documents) put(doc uint32, content document) {
	at := int(doc / pageSize)
	if missing := at + 1 - len(d.pages); missing > 0 {
		d.pages = append(d.pages, make([]*page, missing)...)
	}
	if d.pages[at] == nil {
		d.pages[at] = new(page)
	}
	d.pages[at].docs[doc%pageSize] = content
	d.pages[at].n++
	d.n++
}

// take removes a document and returns what it was, the zero one when it was
// not held.
func (d *documents) take(doc uint32) document {
	taken := d.at(doc)
	if !taken.held {
		return document{}
	}
	p := d.page(doc)
	p.docs[doc%pageSize] = document{}
	p.n--
	d.n--
	if p.n == 0 {
		d.pages[doc/pageSize] = nil
	}
	return taken
}
