// SPDX-License-Identifier: Apache-2.0
// Counts the instructions of each thread of a program in QEMU's user mode, and prints them at its end. The declarations
// are those of qemu-plugin.h, version 1, which Debian does not ship.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum { QEMU_PLUGIN_CB_NO_REGS };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb *block, void (*)(unsigned, void *), int flags, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*)(qemu_plugin_id_t, void *), void *data);

enum { MOST_THREADS = 256 };
static uint64_t counts[MOST_THREADS];

static void executed(unsigned thread, void *instructions) { counts[thread % MOST_THREADS] += (uintptr_t)instructions; }

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    void *instructions = (void *)qemu_plugin_tb_n_insns(block);
    qemu_plugin_register_vcpu_tb_exec_cb(block, executed, QEMU_PLUGIN_CB_NO_REGS, instructions);
}

static void ended(qemu_plugin_id_t id, void *data) {
    (void)id, (void)data;
    fprintf(stderr, "instructions");
    for (int thread = 0; thread < MOST_THREADS; thread++)
        if (counts[thread]) fprintf(stderr, " %" PRIu64, counts[thread]);
    fprintf(stderr, "\n");
}

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

__attribute__((visibility("default"))) int qemu_plugin_install(
    qemu_plugin_id_t id, const void *info, int argc, char **argv) {
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
