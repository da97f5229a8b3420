/** How many datasets or repositories can be compared. Browsers load it without the other queries of the site. */

export const COMPARED = { least: 2, most: 4 } as const;
