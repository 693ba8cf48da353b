/** The host of a URL as sockets take it: an IPv6 address without the brackets that a URL has around it. */
export const hostOf = ({ hostname }: URL): string => hostname.replaceAll(/^\[|\]$/g, '');
