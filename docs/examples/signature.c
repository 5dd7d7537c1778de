// SPDX-License-Identifier: Apache-2.0
// Takes a signature: cc -o signature signature.c && ./signature SOCKET. Prints the answer, which has the capture's id.
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
    // sizeof counts the zero byte, which ends a call and an answer.
    const char call[] = "{\"method\":\"org.inkpanel.Panel.Capture\",\"parameters\":{\"prompt\":[\"Delivery 4711\"]}}";
    char answer[65536] = "";
    struct sockaddr_un panel = {.sun_family = AF_UNIX};
    snprintf(panel.sun_path, sizeof panel.sun_path, "%s", count > 1 ? arguments[1] : "/run/inkpanel/panel.sock");
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&panel, sizeof panel) != 0) return perror(panel.sun_path), 69;
    if (write(connection, call, sizeof call) != sizeof call) return perror("write"), 74;
    for (size_t length = 0; length < sizeof answer - 1 && (length == 0 || answer[length - 1] != 0);) {
        ssize_t got = read(connection, answer + length, sizeof answer - 1 - length);
        if (got <= 0) return fputs("the panel has gone\n", stderr), 69;
        length += (size_t)got;
    }
    puts(answer);
    return strstr(answer, "\"result\":\"accepted\"") == NULL;
}
