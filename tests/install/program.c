/* A program that uses an installed libcerar: an all-reduce of two ranks in one process, over a
 * transport of its own. Prints the greatest error of the sum; fails if it is not exact. */
#include <cerar.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRanks = 2, kCount = 10007 };

struct message {
  struct message* next;
  uint32_t call, stream;
  size_t bytes;
  char data[];
};

/* A receive under way: where the message will go. */
struct receive {
  uint32_t call, stream;
  void* buffer;
  size_t bytes;
};

/* What is on its way to a rank, in the order sent. */
static struct message* inbox[kRanks];

static cerar_status_t send_to(void* arg, uint32_t call, uint32_t stream, const void* buffer,
                              size_t bytes, void** op) {
  struct message** end = &inbox[(*(int*)arg + 1) % kRanks];
  struct message* message = malloc(sizeof *message + bytes);
  if (message == NULL) {
    return CERAR_ERR_NO_MEMORY;
  }
  *message = (struct message){.call = call, .stream = stream, .bytes = bytes};
  memcpy(message->data, buffer, bytes);
  while (*end != NULL) {
    end = &(*end)->next;
  }
  *end = message;
  *op = NULL;
  return CERAR_OK;
}

static cerar_status_t receive(void* arg, uint32_t call, uint32_t stream, void* buffer, size_t bytes,
                              void** op) {
  struct receive* receive = malloc(sizeof *receive);
  (void)arg;
  if (receive == NULL) {
    return CERAR_ERR_NO_MEMORY;
  }
  *receive = (struct receive){call, stream, buffer, bytes};
  *op = receive;
  return CERAR_OK;
}

static cerar_status_t test(void* arg, void** op) {
  const struct receive* receive = *op;
  for (struct message** at = &inbox[*(int*)arg]; *at != NULL; at = &(*at)->next) {
    struct message* message = *at;
    if (message->call == receive->call && message->stream == receive->stream) {
      if (message->bytes != receive->bytes) {
        return CERAR_ERR_TRANSPORT;
      }
      memcpy(receive->buffer, message->data, message->bytes);
      *at = message->next;
      free(message);
      free(*op);
      *op = NULL;
      return CERAR_OK;
    }
  }
  return CERAR_IN_PROGRESS;
}

static void cancel(void* arg, void** op) {
  (void)arg;
  free(*op);
  *op = NULL;
}

static void need(cerar_status_t status) {
  if (status != CERAR_OK) {
    fprintf(stderr, "%s: %s\n", cerar_status_string(status), cerar_last_error());
    exit(1);
  }
}

int main(void) {
  static double data[kRanks][kCount];
  int ranks[kRanks];
  cerar_context_t* context;
  cerar_team_t* teams[kRanks];
  cerar_request_t* requests[kRanks];

  need(cerar_context_create(0, &context));
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks[rank] = rank;
    cerar_transport_ops_t ops = {&ranks[rank], send_to, receive, test, cancel, NULL};
    cerar_team_params_t params = {
        .rank = rank, .size = kRanks, .transport = CERAR_TRANSPORT_EXTERNAL, .ops = &ops};
    need(cerar_team_create(context, &params, &teams[rank]));
    for (int i = 0; i < kCount; ++i) {
      data[rank][i] = (rank + 1) * i;
    }
    need(
        cerar_allreduce_post(teams[rank], NULL, data[rank], kCount, CERAR_DOUBLE, &requests[rank]));
  }

  int done = 0;
  while (done < kRanks) {
    done = 0;
    for (int rank = 0; rank < kRanks; ++rank) {
      cerar_status_t status = cerar_request_test(requests[rank]);
      if (status == CERAR_OK) {
        ++done;
      } else if (status != CERAR_IN_PROGRESS) {
        need(status);
      }
    }
  }

  double error = 0;
  for (int rank = 0; rank < kRanks; ++rank) {
    for (int i = 0; i < kCount; ++i) {
      error = fmax(error, fabs(data[rank][i] - 3.0 * i));
    }
    cerar_request_free(requests[rank]);
    cerar_team_destroy(teams[rank]);
  }
  cerar_context_destroy(context);
  printf("greatest error %g\n", error);
  return error == 0 ? 0 : 1;
}
