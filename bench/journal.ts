/**
 * A journal of a million events: how long a bot needs until it can go on, and how much memory, from a snapshot of the fold
 * and from the first event. `npm run bench -- journal`.
 */
