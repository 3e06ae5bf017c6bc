/* The options of a program for logins, and the person of each server, to whom it shows invitations. */
#include "api/login/login.h"

#include <stdlib.h>

struct api_person {
    struct mcti_list node;
    struct mcti_auth_person base;
    struct mct_instance *api;
    char *server;
};

/* ---- persons ---- */

static int api_person_invite(void *data, const struct mcti_auth_invitation *i, struct mct_error *err)
{
    const struct api_person *p = data;
    const struct mct_auth_opts *o = &p->api->auth->opts;
    const struct mct_auth_invitation shown = {
        .server = p->server, .url = i->url, .user_code = i->user_code, .takes_answer = i->can_paste
    };
    return o->invite(p->api, &shown, o->data) == 0
               ? 0
               : mcti_fail(err, MCT_ERR_AUTH, "the program could not show the page of the login");
}

static void api_person_over(void *data)
{
    const struct api_person *p = data;
    const struct mct_auth_opts *o = &p->api->auth->opts;
    if (o->over)
        o->over(p->api, p->server, o->data);
}

static void api_person_free(struct api_person *p)
{
    free(p->server);
    free(p);
}

static struct api_person *api_person_new(struct mct_instance *a, const char *server)
{
    const struct mct_auth_opts *o = &a->auth->opts;
    struct api_person *p = calloc(1, sizeof *p);
    if (!p || !(p->server = strdup(server))) {
        free(p);
        return NULL;
    }
    p->api = a;
    p->base = (struct mcti_auth_person){ .invite = api_person_invite,
                                         .over = api_person_over,
                                         .data = p,
                                         .device = o->device,
                                         .redirect_uri = a->auth->redirect_uri };
    mcti_list_append(&a->auth->persons, &p->node);
    return p;
}

const struct mcti_auth_person *mcti_api_auth_person(struct mct_instance *a, const char *server)
{
    if (!a->auth || !a->auth->opts.invite)
        return NULL;
    MCT_LIST_EACH(it, &a->auth->persons)
        if (!strcmp(MCT_CONTAINER(it, struct api_person, node)->server, server))
            return &MCT_CONTAINER(it, struct api_person, node)->base;
    struct api_person *p = api_person_new(a, server);
    return p ? &p->base : NULL;
}

/* ---- what connections ask ---- */

static const struct mcti_auth_person *api_auth_find_person(void *data, const char *server)
{
    const struct mcti_api_auth *auth = data;
    return auth->opts.only_asked ? NULL : mcti_api_auth_person(auth->api, server);
}

static struct mcti_auth_store *api_auth_open_store(void *data, struct mct_error *err)
{
    struct mcti_api_auth *auth = data;
    return auth->opened_store = mcti_api_auth_store(auth, err);
}

/* ---- options ---- */

static int api_auth_read_store(struct mcti_api_auth *auth, const struct mct_auth_store *given, struct mct_error *err)
{
    struct mct_auth_store *s = &auth->store;
    if (!given)
        return 0;
    if (mcti_sized_copy(s, sizeof *s, given, "struct mct_auth_store", err) < 0)
        return -1;
    return s->load && s->save && !s->lock == !s->unlock
               ? 0
               : mcti_fail(err, MCT_ERR_USAGE,
                           "the store needs `load` and `save`, and both or none of `lock` and "
                           "`unlock`");
}

static int api_auth_read(struct mcti_api_auth *auth, const struct mct_auth_opts *given, struct mct_error *err)
{
    struct mct_auth_opts *o = &auth->opts;
    if (mcti_sized_copy(o, sizeof *o, given, "struct mct_auth_opts", err) < 0 ||
        api_auth_read_store(auth, o->store, err) < 0)
        return -1;
    auth->redirect_uri = o->redirect_uri ? strdup(o->redirect_uri) : NULL;
    if (o->redirect_uri && !auth->redirect_uri)
        return mcti_no_memory(err);
    o->redirect_uri = NULL; /* the program may free these */
    o->store = NULL;
    return 0;
}

void mcti_api_auth_free(struct mcti_api_auth *auth)
{
    if (!auth)
        return;
    MCT_LIST_EACH(it, &auth->persons)
        api_person_free(MCT_CONTAINER(it, struct api_person, node));
    free(auth->redirect_uri);
    free(auth);
}

const struct mcti_connect_owner *mcti_api_auth_owner(struct mct_instance *a)
{
    return a->auth ? &a->auth->owner : NULL;
}

int mct_instance_set_auth(struct mct_instance *a, const struct mct_auth_opts *opts, struct mct_error *err)
{
    if (a->phase != API_OPEN || a->prepared || a->auth)
        return mcti_fail(err, MCT_ERR_USAGE, "set once how the instance logs in, before it is served or started");
    if (!opts)
        return mcti_fail(err, MCT_ERR_USAGE, "the options are NULL");
    struct mcti_api_auth *auth = calloc(1, sizeof *auth);
    if (!auth)
        return mcti_no_memory(err);
    mcti_list_init(&auth->persons);
    auth->api = a;
    if (api_auth_read(auth, opts, err) < 0) {
        mcti_api_auth_free(auth);
        return -1;
    }
    auth->owner = (struct mcti_connect_owner){ .person = api_auth_find_person,
                                               .open_store = auth->store.load ? api_auth_open_store : NULL,
                                               .data = auth };
    a->auth = auth;
    return 0;
}
