/* golden.c - asks the reference engine for token counts and vectors.
 *
 * Built by golden.sh with -I set to the unpacked wheel's folder, whose e5.c it
 * includes. Usage: golden MODEL
 *
 * stdin, for each text:   a line "query N" or "passage N", then N bytes
 * stdout, for each text:  int32 tokens (with <s> and </s>), float32 vector[dim],
 *                         in the machine's byte order
 *
 * The engine takes C strings: a text ends at its first NUL. */
#include "e5.c"

static void fail(const char *what) {
    fprintf(stderr, "golden: %s\n", what);
    exit(1);
}

/* One text: read it, embed it, write the answer. Returns 0 at the end of stdin. */
static int answer(e5_model *m, float *vector) {
    char kind[16];
    size_t size;
    int got = scanf("%15s %zu", kind, &size);
    if (got == EOF) return 0;
    if (got != 2 || getchar() != '\n') fail("expected a line \"query N\" or \"passage N\"");
    char *text = malloc(size + 1);
    if (!text || fread(text, 1, size, stdin) != size) fail("text ends early");
    text[size] = 0;

    int is_query = strcmp(kind, "query") == 0;
    int32_t tokens = e5_token_count(m, text, is_query);
    if (e5_embed(m, text, is_query, vector) != 0) fail("embedding went wrong");
    fwrite(&tokens, sizeof tokens, 1, stdout);
    fwrite(vector, sizeof *vector, e5_dim(m), stdout);
    free(text);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: golden MODEL < texts > answers");
    e5_model *m = e5_load(argv[1]);
    if (!m) fail("cannot load the model");
    float *vector = malloc(sizeof *vector * e5_dim(m));
    while (answer(m, vector)) {}
    free(vector);
    e5_free(m);
    return fflush(stdout) == 0 ? 0 : 1;
}
