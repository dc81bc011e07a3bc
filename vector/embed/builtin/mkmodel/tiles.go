package main

import "mcp-memory/vector/embed/builtin/kernel"

// appendTiles appends the tiles (kernel.Weights) of an out × in matrix, whose
// rows of 4-bit blocks are one after the other in blocks: the same nibbles and
// scales in another order.
func appendTiles(tiles, blocks []byte, out, in int) []byte {
	perRow := in / kernel.Block
	for group := 0; group < out; group += kernel.Lanes {
		for b := range perRow {
			var tile [kernel.TileBytes]byte
			for o := range kernel.Lanes {
				fillTile(&tile, o, blocks[((group+o)*perRow+b)*block4Len:])
			}
			tiles = append(tiles, tile[:]...)
		}
	}
	return tiles
}

// fillTile puts one block into a tile as output o.
func fillTile(tile *[kernel.TileBytes]byte, o int, block []byte) {
	copy(tile[2*o:2*o+2], block[:2])
	nibbles := block[levelsOffset:block4Len]
	for r := range 4 {
		for i := range 4 {
			low, high := nibble(nibbles, 8*r+i), nibble(nibbles, 8*r+4+i)
			tile[2*kernel.Lanes+32*r+4*o+i] = low | high<<4
		}
	}
}

// nibble is weight i of a block's 16 bytes.
func nibble(nibbles []byte, i int) byte {
	if i < 16 {
		return nibbles[i] & 15
	}
	return nibbles[i-16] >> 4
}
