/* Which addresses belong to the public internet: the others are reachable from here, but not from everywhere. */
#ifndef MCT_IO_HTTP_ADDRESS_H
#define MCT_IO_HTTP_ADDRESS_H

#include "base/str.h"

#include <sys/socket.h>

/* Returns true if the address is globally reachable unicast (IANA special-purpose address registries). An IPv6 address
 * that stands for an IPv4 address (mapped, translated, NAT64, 6to4) is judged by that address. Addresses of other
 * families are not public. */
bool mcti_address_is_public(const struct sockaddr *a);

/* Reads an IPv4 or IPv6 address as text, the latter also in brackets and with a zone. Returns false if `text` is
 * neither. */
bool mcti_address_read(struct mcti_str text, struct sockaddr_storage *ret);

/* Returns true if `text` is an address, as in mcti_address_read(), and not public. */
bool mcti_address_text_is_private(struct mcti_str text);

#endif
