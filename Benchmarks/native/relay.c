// The least that a daemon of two threads adds between gpsd and a client: the system calls of locationd's threads, without
// the work between them.
//
//     relay PORT SOCKET
//
// Prints "ready" and serves one client at a time. The client's request is answered by an empty status; the time of each
// fix that gpsd reports follows, in a message like the service's. One thread reads from gpsd, looks for nothing but the
// text of the time, and wakes the other, which sends it. The relay is connected to gpsd while it has a client. It ends
// when its input does.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int gpsd, wake_up;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// The message that waits to be sent, under the lock.
static char pending[256];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void handle_line(const char *line) {
    const char *time = strstr(line, "\"time\":\"");
    if (!strstr(line, "\"class\":\"TPV\"") || !strstr(line, "\"lat\":") || !time) return;
    pthread_mutex_lock(&lock);
    snprintf(
        pending, sizeof pending, "{\"parameters\":{\"location\":{\"timestamp\":\"%.24s\"}},\"continues\":true}", time + 8);
    pthread_mutex_unlock(&lock);
    if (write(wake_up, &(uint64_t){1}, 8) != 8) fail("eventfd");
}

static void *read_gpsd(void *unused) {
    static char buffer[65536];
    size_t filled = 0;
    for (;;) {
        if (poll(&(struct pollfd){.fd = gpsd, .events = POLLIN}, 1, -1) < 0) fail("poll");
        ssize_t count = recv(gpsd, buffer + filled, sizeof buffer - filled, 0);
        if (count <= 0) return unused;
        filled += (size_t)count;
        char *start = buffer, *end = buffer + filled, *stop;
        for (; (stop = memchr(start, '\n', (size_t)(end - start))); start = stop + 1) {
            *stop = 0;
            handle_line(start);
        }
        filled = (size_t)(end - start);
        memmove(buffer, start, filled);
    }
}

/// Sends a whole message with its NUL.
static void send_message(int client, const char *message) {
    send(client, message, strlen(message) + 1, MSG_NOSIGNAL);
}

static void serve(int client, int port) {
    char request[4096];
    if (recv(client, request, sizeof request, 0) <= 0) return;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    gpsd = socket(AF_INET, SOCK_STREAM, 0);
    static const char watch[] = "?WATCH={\"enable\":true,\"json\":true}\n";
    if (connect(gpsd, (struct sockaddr *)&address, sizeof address) || send(gpsd, watch, sizeof watch - 1, 0) < 0)
        fail("gpsd");
    pthread_t thread;
    if (pthread_create(&thread, NULL, read_gpsd, NULL)) fail("thread");
    send_message(client, "{\"parameters\":{\"status\":{}},\"continues\":true}");
    int poll = epoll_create1(0);
    epoll_ctl(poll, EPOLL_CTL_ADD, wake_up, &(struct epoll_event){.events = EPOLLIN, .data.fd = wake_up});
    epoll_ctl(poll, EPOLL_CTL_ADD, client, &(struct epoll_event){.events = EPOLLIN, .data.fd = client});
    struct epoll_event event;
    while (epoll_wait(poll, &event, 1, -1) == 1 && event.data.fd == wake_up) {
        uint64_t count;
        char message[sizeof pending];
        if (read(wake_up, &count, 8) != 8) fail("eventfd");
        pthread_mutex_lock(&lock);
        memcpy(message, pending, sizeof pending);
        pthread_mutex_unlock(&lock);
        send_message(client, message);
    }
    shutdown(gpsd, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(gpsd);
    close(poll);
}

static void *exit_at_end_of_input(void *unused) {
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    exit(0);
    return unused;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: relay PORT SOCKET\n");
        return 2;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, argv[2], sizeof address.sun_path - 1);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    wake_up = eventfd(0, EFD_CLOEXEC);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1)) fail(argv[2]);
    puts("ready");
    fflush(stdout);
    pthread_t thread;
    if (pthread_create(&thread, NULL, exit_at_end_of_input, NULL)) fail("thread");
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client < 0) fail("accept");
        serve(client, atoi(argv[1]));
        close(client);
    }
}
