/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzzer once over each seed, without libFuzzer, so that fuzzers cannot rot: part of make
 * check. Prints TAP. Besides each seed it tries the empty input and each seed cut to half.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A heap copy of exactly this size, so that the address sanitizer sees a read past the end. */
static int try_input(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);

	if (!copy)
		return -1;
	if (size > 0)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	return 0;
}

static int try_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return -1;
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	if (try_input(data, n) < 0)
		return -1;
	return try_input(data, n / 2);
}

int main(int argc, char **argv)
{
	struct dirent **names;
	int n, number = 0, n_failed = 0;

	if (argc != 2 || (n = scandir(argv[1], &names, NULL, alphasort)) < 0) {
		fprintf(stderr, "usage: %s SEED-DIRECTORY\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < n; i++) {
		char path[4096];
		int ok;

		if (names[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]->d_name);
			ok = try_file(path) == 0;
			n_failed += !ok;
			printf("%sok %d - seed %s\n", ok ? "" : "not ", ++number, names[i]->d_name);
			fflush(stdout);
		}
		free(names[i]);
	}
	free(names);
	if (try_input(NULL, 0) < 0)
		return 1;
	printf("ok %d - empty input\n1..%d\n", number + 1, number + 1);
	return n_failed > 0;
}
