// Makes this rank's next non-blocking send fail, within Open MPI.
#pragma once

void fail_next_send(void);
