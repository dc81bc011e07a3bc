/* Prints the ids that the reference engine's tokenizer gives to texts: one text
 * a line on standard input, its bytes in hex; one line of ids each on standard
 * output, without <s> and </s>.
 *
 * The tokenizer is static in e5.c, so that file is included. A NUL ends a text
 * for the engine: none may be in the input. */
#include "e5.c"

int main(int argc, char **argv) {
    if (argc != 2) { fprintf(stderr, "usage: ids e5-small-q4.bin < texts\n"); return 2; }
    e5_model *model = e5_load(argv[1]);
    if (!model) return 1;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) >= 0) {
        size_t bytes = (size_t)length / 2; /* the newline is the odd one */
        char *text = calloc(bytes + 1, 1);
        for (size_t i = 0; i < bytes; i++) {
            unsigned byte;
            if (sscanf(line + 2 * i, "%2x", &byte) != 1 || byte == 0) { fprintf(stderr, "ids: bad line\n"); return 1; }
            text[i] = (char)byte;
        }
        int most = (int)bytes * 18 + 1; /* no code point becomes more than 18 */
        int *ids = malloc(sizeof(int) * (size_t)most);
        int count = tok_content(&model->tok, text, ids, most);
        for (int i = 0; i < count; i++) printf(i ? " %d" : "%d", ids[i]);
        putchar('\n');
        free(ids);
        free(text);
    }
    free(line);
    e5_free(model);
    return 0;
}
