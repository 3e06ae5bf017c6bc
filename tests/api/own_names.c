/* A program with functions of its own that have names such as one would give them inside a library. Linked with the
 * whole archive. */
#include <mcptools/mcptools.h>

#include <stdio.h>

int n_own;

void refuse(void);
void find(void);
void finish(void);
void release(void);
void put_text(void);
void settle(void);
void admit(void);
void bye(void);
void run(void);
void stop(void);

#define OWN(name)                                                                                                      \
    void name(void)                                                                                                    \
    {                                                                                                                  \
        n_own++;                                                                                                       \
    }

OWN(refuse)
OWN(find)
OWN(finish)
OWN(release)
OWN(put_text)
OWN(settle)
OWN(admit)
OWN(bye)
OWN(run)
OWN(stop)

int main(void)
{
    void (*const own[])(void) = { refuse, find, finish, release, put_text, settle, admit, bye, run, stop };
    const int n = (int)(sizeof own / sizeof *own);
    struct mct_instance *r = mct_instance_new(NULL, NULL);
    if (!r || mct_instance_start(r, NULL) < 0)
        return 1;
    mct_instance_close_wait(r);
    for (int i = 0; i < n; i++)
        own[i]();
    printf("%d\n", n_own - n);
    return n_own != n;
}
