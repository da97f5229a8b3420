/** Every address of the API and every shape it takes and gives, as types. Written by `npm run client-types` from the OpenAPI document. */

export interface paths {
    "/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Datasets with their scores
         * @description Filters are joined by and; those on facets match the source's own words exactly. Failed records, and those of which too few signals could be judged (`insufficient_evidence`), have no score, and come last in every order by one.
         *
         *     Rows come in the order of `sortBy` and `sortOrder`; a page past the end is empty. Give `cursor=*`, then the `nextCursor` of each answer, to read a list of any length to its end; with `fields`, rows are without members that the schema calls required. Ask with `Accept: application/x-ndjson` for all rows of the list, one JSON object a line, made while they are sent: filters, order and `fields` hold, `page`, `limit` and `cursor` are refused, `X-Total-Count` says how many rows come, and a connection that ends without the end of the answer has not given all. A caller may read two at a time. `Accept: application/vnd.apache.arrow.stream` gives the same rows as record batches of Apache Arrow: members of members are structs, days are texts, and `docs/arrow.md` has every column. Ask with `Accept: text/csv` for the same page as a table: members of members are named by their path, null is empty, and a text that a spreadsheet would run as a formula has an apostrophe before it.
         */
        get: operations["records"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/records/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One dataset with its 25 signals explained
         * @description For each signal: its state, the evidence it was judged by, where the source's payload has that evidence, and what the depositor can do. An id that was withdrawn, or is of no dataset, is 404 with that reason. With `Accept: application/ld+json` the score comes in the words of the W3C Data Quality Vocabulary: a measurement for the total and each signal, without a value where nothing is known.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["record"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/records/{id}/impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stewardship and, apart from it, observed use of a dataset
         * @description Outcomes are those the source reports. They never enter the total of SHARE 2.0.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["impact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Researchers with their S-Index
         * @description Researchers are told apart by ORCID iD, else by name and affiliation; two people are never joined on a name alone. Who has opted out is not listed.
         *
         *     Rows come in the order of `sortBy` and `sortOrder`; a page past the end is empty. Give `cursor=*`, then the `nextCursor` of each answer, to read a list of any length to its end; with `fields`, rows are without members that the schema calls required. Ask with `Accept: application/x-ndjson` for all rows of the list, one JSON object a line, made while they are sent: filters, order and `fields` hold, `page`, `limit` and `cursor` are refused, `X-Total-Count` says how many rows come, and a connection that ends without the end of the answer has not given all. A caller may read two at a time. `Accept: application/vnd.apache.arrow.stream` gives the same rows as record batches of Apache Arrow: members of members are structs, days are texts, and `docs/arrow.md` has every column. Ask with `Accept: text/csv` for the same page as a table: members of members are named by their path, null is empty, and a text that a spreadsheet would run as a formula has an apostrophe before it.
         */
        get: operations["authors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authors/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One researcher with their best hundred datasets
         * @description The versions of one dataset count once. An earlier slug of the same researcher is redirected.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["author"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Platform metrics of the active release
         * @description Counted over all records of the release, with an excerpt of its receipt. `sampling` says what they are of: a census only where every source is known to have given all it holds. Beside every mean stands the mean cap of its sources.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics of every release so far, oldest first
         * @description The active release included; each snapshot is carried from release to release as it was published.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rubrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public SHARE versions
         * @description Each with the contract it resolves to, and whether the active release has scores under it.
         */
        get: operations["rubrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rubrics/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One rubric: a public version or an exact contract identifier
         * @description Signals with their questions, rules and advice, the order of the mask bits, and the six states.
         */
        get: operations["rubric"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reported affiliations
         * @description Rows are texts as they were reported, each by the SHA-256 of its exact form. They are not organisations of a registry and have no S-Index.
         *
         *     Rows come in the order of `sortBy` and `sortOrder`; a page past the end is empty. Give `cursor=*`, then the `nextCursor` of each answer, to read a list of any length to its end; with `fields`, rows are without members that the schema calls required. Ask with `Accept: application/x-ndjson` for all rows of the list, one JSON object a line, made while they are sent: filters, order and `fields` hold, `page`, `limit` and `cursor` are refused, `X-Total-Count` says how many rows come, and a connection that ends without the end of the answer has not given all. A caller may read two at a time. `Accept: application/vnd.apache.arrow.stream` gives the same rows as record batches of Apache Arrow: members of members are structs, days are texts, and `docs/arrow.md` has every column. Ask with `Accept: text/csv` for the same page as a table: members of members are named by their path, null is empty, and a text that a spreadsheet would run as a formula has an apostrophe before it.
         */
        get: operations["institutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/geography": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Countries
         * @description Countries are those of the creators' affiliations, ISO 3166-1 alpha-3. A record may count in several countries, in each once; failed records are in no mean.
         *
         *     Rows come in the order of `sortBy` and `sortOrder`; a page past the end is empty. Give `cursor=*`, then the `nextCursor` of each answer, to read a list of any length to its end; with `fields`, rows are without members that the schema calls required. Ask with `Accept: application/x-ndjson` for all rows of the list, one JSON object a line, made while they are sent: filters, order and `fields` hold, `page`, `limit` and `cursor` are refused, `X-Total-Count` says how many rows come, and a connection that ends without the end of the answer has not given all. A caller may read two at a time. `Accept: application/vnd.apache.arrow.stream` gives the same rows as record batches of Apache Arrow: members of members are structs, days are texts, and `docs/arrow.md` has every column. Ask with `Accept: text/csv` for the same page as a table: members of members are named by their path, null is empty, and a text that a spreadsheet would run as a formula has an apostrophe before it.
         */
        get: operations["geography"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widgets/datasets/{id}/badge.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A dataset's score as a badge
         * @description The total, coloured by tier. Without a total it is grey and has no number: `insufficient evidence`, or `not scored` for a failed record. A badge that cannot be made is a badge too, grey, with its status: `unknown`, or `try later`. Badges have a quota of their own.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["datasetBadge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widgets/repositories/{repository}/badge.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A repository's mean as a badge
         * @description Mean total of its scored records, coloured by tier, with the mean cap in its title. A badge that cannot be made is a badge too, grey, with its status: `unknown`, or `try later`. Badges have a quota of their own.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["repositoryBadge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widgets/researchers/{slug}/badge.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A researcher's S-Index as a badge
         * @description The S-Index, coloured by tier, with what it rests on in its title: datasets, version, date, median, cap. A badge that cannot be made is a badge too, grey, with its status: `unknown`, or `try later`. Badges have a quota of their own.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["researcherBadge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widgets/datasets/{id}/badge.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A dataset's score for shields.io
         * @description The words and colours of the badge in the schema of shields.io's endpoint badges: `https://img.shields.io/endpoint?url=…` draws it. A refusal is a problem document.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["datasetBadgeJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widgets/repositories/{repository}/badge.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A repository's mean for shields.io
         * @description The words and colours of the badge in the schema of shields.io's endpoint badges: `https://img.shields.io/endpoint?url=…` draws it. A refusal is a problem document.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["repositoryBadgeJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widgets/researchers/{slug}/badge.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A researcher's S-Index for shields.io
         * @description The words and colours of the badge in the schema of shields.io's endpoint badges: `https://img.shields.io/endpoint?url=…` draws it. A refusal is a problem document.
         *
         *     Figures are those of the SHARE version that `rubric` selects.
         */
        get: operations["researcherBadgeJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/records/{id}/disputes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Signals of a dataset that were said to be wrong, and the answers
         * @description Those that a moderator has answered, the newest first: never who said it, what they wrote, or what is open. An `upheld` one shows as another state in the release that `mendedIn` names; no score is changed by hand.
         */
        get: operations["recordDisputes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All releases, newest first
         * @description Each with its digest, its date and what it holds; one of them is active.
         */
        get: operations["releases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/releases/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The receipt of a release
         * @description A receipt says what went in, what came out, and the digests that prove it: every harvested payload is counted once, and the counts reconcile.
         */
        get: operations["release"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/releases/{digest}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The movements since the release before, and their causes
         * @description Compared with the release that was active when this one was made. Of the lists, the largest movements; all of them are in the files it names. Causes are told apart by recomputing: the old evidence is scored with one part of the new after the other, in the order of `causes`. A release made before there were diffs has none.
         */
        get: operations["releaseDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/releases/{digest}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The records that came, moved and went since the release before
         * @description Compared with the release that was active when this one was made: `_meta.previousRelease` names it. A record has one row under each public version that both have, with its status and total before and after; which signals moved is in `diff` and, for all records, in the file `data/diff-records.parquet`. `latest` is the active release, so that who keeps a copy asks for it, then goes back by `previousReleaseDigest` to the release they have; a list is read on at the address with the digest that `latest` led to, as the links of its answers do, since pages asked of `latest` are of another release once that is active. The first release of all has no changes. A release made before there were diffs has no such list.
         *
         *     Rows come in the order of their ids; a page past the end is empty. Give `cursor=*`, then the `nextCursor` of each answer, to read a list of any length to its end; with `fields`, rows are without members that the schema calls required. Ask with `Accept: application/x-ndjson` for all rows of the list, one JSON object a line, made while they are sent: filters, order and `fields` hold, `page`, `limit` and `cursor` are refused, `X-Total-Count` says how many rows come, and a connection that ends without the end of the answer has not given all. A caller may read two at a time. `Accept: application/vnd.apache.arrow.stream` gives the same rows as record batches of Apache Arrow: members of members are structs, days are texts, and `docs/arrow.md` has every column. Ask with `Accept: text/csv` for the same page as a table: members of members are named by their path, null is empty, and a text that a spreadsheet would run as a formula has an apostrophe before it.
         */
        get: operations["releaseChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/releases/{digest}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file of a release
         * @description `manifest.ndjson` names every file with its size and SHA-256; `data/` has the tables as Parquet. Tables that people open by hand are also answered as packed CSV, such as `data/scores.csv.gz` (docs/tables.md): they are made when somebody asks, the first of whom may be told to come back (503). Files never change, and parts of them can be asked for; the content type follows the name.
         */
        get: operations["releaseFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The score of one dataset, now
         * @description 200 where the active release has the record under exactly the contract that is asked for; otherwise 201, with the record fetched from its source, normalised and scored now by the code of the releases. Dates such as the end of an embargo are judged by today. Ten evaluations or new jobs a minute are answered for each caller. A fault of the source is 502 or 504 with `Retry-After`, never 404.
         */
        post: operations["evaluation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/evaluations/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The score that metadata would have if they were deposited as they are
         * @description The body is the metadata of one record as the source's own API takes or gives them, JSON or XML, at most 1 MiB. They are read, scored and forgotten: nothing is stored, and nobody is asked. Ten evaluations a minute are answered for each caller.
         */
        post: operations["draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/evaluation-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An evaluation that is done in its own time
         * @description The job is kept when this answers, whatever happens to the server, and is read at `Location`. Faults of the source are tried again, five times in all, each after a longer pause. The same identifier and contract get the same job for a minute, and for as long as it has not ended. Jobs take turns between callers and between sources; a hundred of one caller may wait. Ten evaluations or new jobs a minute are answered for each caller.
         */
        post: operations["newEvaluationJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/evaluation-jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The progress of a job, and its result
         * @description `result` has what `POST /evaluations` would have made; where the active release had the record, `release` names it. `error` is the problem document it would have answered with. Whoever has the id can read the job; it is kept for 30 days after its end.
         */
        get: operations["evaluationJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/share-release-keys.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys that receipts are signed with
         * @description A JSON Web Key Set of Ed25519 keys. `signature` of a receipt is a detached JSON Web Signature by one of them, over the canonical JSON (RFC 8785) of the receipt without `signature`; `kid` in its header names the key. Keys no longer in use stay, so that old releases can be checked. `statements` says which were replaced, by what, and which were revoked, each signed by a key before it. Get the keys once from a place you trust: keys from the server that also gives the release prove only that the two belong together.
         */
        get: operations["releaseKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A key of your own
         * @description The key is shown in this answer and never again. Three an hour can be registered from one IP address (IPv6: from one /64). Pages of other origins cannot register one.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The service, and the addresses to begin with
         * @description Addresses to begin at. A browser that asks for HTML gets a page.
         */
        get: operations["index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The health of the server, and the release it answers from
         * @description The status, for those who watch over the server: it is 200 as long as the server answers at all.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The age and the completeness of each source
         * @description The report says of each source what it says it holds, what was got of it, when, and what was refused and why.
         */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This API as OpenAPI 3.1
         * @description Generated from the schemas that the service itself reads and answers by.
         */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This API as a page to read
         * @description Made from `/openapi.json`, without a script.
         */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The meaning of a problem, and what to do about it
         * @description The member `type` of a problem document leads here. A browser that asks for HTML gets a page.
         */
        get: operations["problem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/orcid/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin to sign in with ORCID
         * @description Sets a cookie that lasts ten minutes and tells where to send the browser; a browser that asks for HTML is sent there (303). The iD's own account is signed in. With `add=true`, who is signed in by mail and begins from a page of this site has the iD added to their account instead, unless it has an account of its own already.
         */
        get: operations["orcidStart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/orcid/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Come back from ORCID
         * @description ORCID sends the browser here. The address works once, and only in the browser that began. Sets the cookie of a session; a browser that asks for HTML is sent on to `returnTo` (303).
         */
        get: operations["orcidCallback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/magic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page that links in mails lead to
         * @description The token stands in the fragment of the address, which no server sees; the button of the page sends it to `POST /auth/magic/consume`. Programs that look into links in mails therefore use up nothing.
         */
        get: operations["magicPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/magic/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link by mail
         * @description The answer is the same whether the address has an account or not; one is made when a link is used for the first time. Five links an hour are sent to one address, and for one IP address.
         */
        post: operations["magicRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/magic/consume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a link
         * @description Uses the link up and sets the cookie of a session.
         */
        post: operations["magicConsume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the session and takes its cookie back. Who is not signed in is answered the same.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The sessions one is signed in by
         * @description One's sessions, the newest first, the one that asks among them.
         */
        get: operations["sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign out somewhere else
         * @description Ends one session; one's own too.
         */
        delete: operations["session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user who is signed in, with all that a page about them needs
         * @description The first ten of everything, with how many there are; each has an address of its own for the rest. Records and researchers are shown as the active release lists them, and null where it does not.
         */
        get: operations["me"];
        put?: never;
        post?: never;
        /**
         * Erase the account
         * @description Everything that is kept of the person goes, at once and for good, and every session ends. A researcher who is hidden stays hidden; a dataset that was submitted stays submitted, by nobody. Whoever signs in again has a new account.
         */
        delete: operations["eraseAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything that is kept of the person, as a file
         * @description Sent as a download, named after the account.
         */
        get: operations["exportAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/profile-claims": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The researchers one says to be
         * @description One's claims with their states, the newest first.
         */
        get: operations["profileClaims"];
        put?: never;
        /**
         * Say which researcher one is
         * @description Approved at once where the ORCID iD one signed in with is the researcher's; otherwise a moderator decides. A researcher has one approved claim. Who has opted out can be claimed by who has their ORCID iD, and by nobody else.
         */
        post: operations["newProfileClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/profile-claims/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a claim back
         * @description Requests made as that researcher and not yet decided go with it.
         */
        delete: operations["withdrawProfileClaim"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/visibility-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The requests one made for one's own pages
         * @description One's visibility requests with their states, the newest first.
         */
        get: operations["visibilityRequests"];
        put?: never;
        /**
         * Ask to be hidden, or to be shown again
         * @description Only who has an approved claim of the researcher can ask; a moderator decides. An approved `opt_out` removes the researcher's page, badge and rows within a minute, and the next release names them nowhere; `opt_in` undoes it. Scores do not change.
         */
        post: operations["newVisibilityRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/visibility-requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a request back
         * @description One that was decided goes from the list alone: the decision stands.
         */
        delete: operations["withdrawVisibilityRequest"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/saved-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Saved records
         * @description With their notes, the newest first, each as the active release lists it.
         */
        get: operations["savedRecords"];
        put?: never;
        /**
         * Save a record
         * @description Saving it again replaces the note. An id that gave way to another source's is saved as the record that is kept.
         */
        post: operations["saveRecord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/saved-records/{recordId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a saved record
         * @description Any id that the record goes by will do: its own, or one that gave way to it.
         */
        delete: operations["unsaveRecord"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/saved-authors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Saved researchers
         * @description With their notes, the newest first, each as the active release lists them.
         */
        get: operations["savedAuthors"];
        put?: never;
        /**
         * Save a researcher
         * @description Saving them again replaces the note.
         */
        post: operations["saveAuthor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/saved-authors/{authorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a saved researcher
         * @description The id is the member `authorId` of the saved researcher.
         */
        delete: operations["unsaveAuthor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/dataset-submissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Datasets one submitted
         * @description With what became of each, the newest first.
         */
        get: operations["datasetSubmissions"];
        put?: never;
        /**
         * Submit a dataset to be harvested
         * @description The identifier is read as `POST /evaluations` reads it; a DOI that no source is known by is looked for at DataCite. A moderator decides; accepted datasets join the next harvest of their source. `rubricVersion` may be left out.
         */
        post: operations["newDatasetSubmission"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/dataset-submissions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The fate of one dataset
         * @description The answer says whether it was accepted, and what its harvest came to.
         */
        get: operations["datasetSubmission"];
        put?: never;
        post?: never;
        /**
         * Take a submission back
         * @description One that was decided goes from the list alone: the decision stands.
         */
        delete: operations["withdrawDatasetSubmission"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/measurements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Kept evaluations, in short
         * @description The newest first, without the evidence behind them.
         */
        get: operations["measurements"];
        put?: never;
        /**
         * Evaluate a dataset, and keep the result
         * @description A measurement is what `POST /evaluations` would answer, kept until it is deleted; `release` names the release where the active one had the record. Counts as an evaluation: ten a minute are answered for each caller.
         */
        post: operations["newMeasurement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/measurements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One kept evaluation, whole
         * @description The record as it was then, but for creators who have opted out since.
         */
        get: operations["measurement"];
        put?: never;
        post?: never;
        /**
         * Delete a kept evaluation
         * @description The deletion is for good; the record it was of stays as it is.
         */
        delete: operations["deleteMeasurement"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/disputes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The signals one said to be wrong
         * @description One's disputes with how they were answered, the newest first.
         */
        get: operations["disputes"];
        put?: never;
        /**
         * Say that a signal is wrong
         * @description Evidence is an address, a text, or both. As `creator` speaks who has an approved claim of one of the record's creators; who speaks as `repository` says in `statement` how that can be checked. A moderator answers. No score is changed by hand: a rule or a reader that is wrong is mended and shows in the next release, and what the repository publishes wrongly is mended there. Twenty of an account may wait at a time, one of each signal of a record; a hundred may be opened in 24 hours.
         */
        post: operations["newDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/disputes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One of one's disputes
         * @description With its answer, and the release in which it was mended.
         */
        get: operations["dispute"];
        put?: never;
        post?: never;
        /**
         * Take a dispute back
         * @description It goes with what was written. One that was answered keeps the answer beside the record, of nobody.
         */
        delete: operations["withdrawDispute"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Everything that is kept of the person who is signed in. */
        AccountExport: {
            /** Format: date-time */
            exportedAt: string;
            user: components["schemas"]["User"];
            /** @description Without what signs in: of that only a hash is kept. */
            sessions: components["schemas"]["Session"][];
            /** @description Those not yet forgotten, likewise. */
            signInLinks: {
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                expiresAt: string;
                usedAt: string | null;
            }[];
            profileClaims: {
                id: string;
                /** @description Id of the researcher. */
                authorId: string;
                /** @description Their slug when it was claimed. */
                authorSlug: string;
                /**
                 * @description `pending` until a moderator decides; `approved` or `rejected` for good.
                 * @enum {string}
                 */
                state: "pending" | "approved" | "rejected";
                /** @description The words of the moderator; null where nothing was said. */
                decisionReason: string | null;
                /** Format: date-time */
                createdAt: string;
                /** @description Null while it is pending. */
                decidedAt: string | null;
            }[];
            visibilityRequests: components["schemas"]["VisibilityRequest"][];
            savedRecords: {
                recordId: string;
                note: string | null;
                /**
                 * Format: date-time
                 * @description The moment at which it was saved first.
                 */
                savedAt: string;
                /**
                 * Format: date-time
                 * @description The moment at which it was saved last.
                 */
                updatedAt: string;
            }[];
            savedAuthors: {
                /** @description Names it for DELETE. */
                authorId: string;
                /** @description Their slug of today; null where the researcher has opted out. */
                authorSlug: string | null;
                note: string | null;
                /**
                 * Format: date-time
                 * @description The moment at which it was saved first.
                 */
                savedAt: string;
                /**
                 * Format: date-time
                 * @description The moment at which it was saved last.
                 */
                updatedAt: string;
            }[];
            datasetSubmissions: components["schemas"]["DatasetSubmission"][];
            measurements: components["schemas"]["Measurement"][];
            disputes: {
                id: string;
                recordId: string;
                /**
                 * @description The contract that the signal was judged by.
                 * @enum {string}
                 */
                contract: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
                /** @description The signal that is said to be wrong. */
                signal: string;
                /** @description Its state in the release that was disputed. */
                publishedState: components["schemas"]["SignalState"];
                /** @description The release that was disputed. */
                release: components["schemas"]["ScoreRelease"];
                /**
                 * @description The truth in the eyes of who disputes: the dataset has it, has it not, or nobody can know.
                 * @enum {string}
                 */
                says: "present" | "absent" | "unknown";
                /**
                 * @description `creator`: of who has an approved claim of one of the record's creators. `repository`: of who speaks for the repository, which a moderator judges.
                 * @enum {string}
                 */
                role: "creator" | "repository";
                evidenceUrl: string | null;
                evidence: string | null;
                statement: string | null;
                /**
                 * @description `open` until a moderator answers or it is taken back; then what was answered, until a moderator corrects it, or `withdrawn`, for good.
                 * @enum {string}
                 */
                state: "open" | "upheld" | "rejected" | "source_must_mend" | "withdrawn";
                /** @description The sentence of the moderator; null while it is open. */
                answer: string | null;
                /** Format: date-time */
                createdAt: string;
                /** @description Null while it is open. */
                answeredAt: string | null;
                /** @description The moment at which a moderator put this answer in the place of another; null where it is the first one. */
                correctedAt: string | null;
                /** @description The release in which the signal has another state since; null where a moderator has named none. */
                mendedIn: components["schemas"]["ScoreRelease"] | null;
            }[];
        };
        /** @description The user who is signed in, with the first page of everything that is theirs. */
        AccountPage: {
            user: components["schemas"]["User"];
            /** @description Places where one is signed in; `/account/sessions` lists them. */
            sessions: number;
            /** @description The hidden ones among the researchers whose claims were approved for this account. */
            hidden: {
                authorId: string;
                authorSlug: string;
                /**
                 * Format: date-time
                 * @description The moment at which the request was approved.
                 */
                since: string;
            }[];
            profileClaims: components["schemas"]["ProfileClaimList"];
            visibilityRequests: components["schemas"]["VisibilityRequestList"];
            savedRecords: components["schemas"]["SavedRecordList"];
            savedAuthors: components["schemas"]["SavedAuthorList"];
            datasetSubmissions: components["schemas"]["DatasetSubmissionList"];
            measurements: components["schemas"]["MeasurementList"];
            disputes: components["schemas"]["DisputeList"];
            /** @description The number of each that an account may have. */
            limits: {
                profileClaims: number;
                visibilityRequests: number;
                savedRecords: number;
                savedAuthors: number;
                datasetSubmissions: number;
                measurements: number;
                disputes: number;
            };
        };
        /** @description A dispute that was answered. */
        AnsweredDispute: {
            /**
             * @description The contract that the signal was judged by.
             * @enum {string}
             */
            contract: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /** @description The signal that is said to be wrong. */
            signal: string;
            /** @description Its state in the release that was disputed. */
            publishedState: components["schemas"]["SignalState"];
            /** @description The release that was disputed. */
            release: components["schemas"]["ScoreRelease"];
            /**
             * @description The truth in the eyes of who disputes: the dataset has it, has it not, or nobody can know.
             * @enum {string}
             */
            says: "present" | "absent" | "unknown";
            /**
             * @description `upheld`: the signal was judged wrongly, and a rule or a reader is mended. `rejected`: it stands. `source_must_mend`: what the repository publishes is wrong, and the score follows once that is mended.
             * @enum {string}
             */
            state: "upheld" | "rejected" | "source_must_mend";
            /** @description The sentence of the moderator. */
            answer: string;
            /**
             * Format: date-time
             * @description The moment of the first answer: a correction leaves it as it is.
             */
            answeredAt: string;
            /** @description The moment at which a moderator put this answer in the place of another; null where it is the first one. */
            correctedAt: string | null;
            /** @description The release in which the signal has another state since; null where a moderator has named none. */
            mendedIn: components["schemas"]["ScoreRelease"] | null;
        };
        /** @description This API as an OpenAPI 3.1 document. */
        ApiDescription: {
            openapi: string;
            info: {
                title: string;
                version: string;
            } & {
                [key: string]: unknown;
            };
            /** @description The SHARE version that answers where none is asked for. */
            "x-share-version": components["schemas"]["PublicVersion"];
            paths: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
        } & {
            [key: string]: unknown;
        };
        /** @description A creator, in the order of the deposit. A creator who opted out is called `withheld`. */
        Author: {
            /** @description Id of the researcher; null for what is no person, or withheld. */
            id: string | null;
            name: string;
            affiliation: string | null;
            /** @description Address of the researcher below `/authors`. */
            slug: string | null;
            orcid: string | null;
        };
        /** @description One of the five buckets: five signals, 20 points. */
        Bucket: {
            /** @enum {string} */
            id: "S" | "H" | "A" | "R" | "E";
            key: string;
            name: string;
            question: string;
            description: string;
        };
        /** @description Mean points of each bucket, two decimals; null where nothing is scored. */
        BucketMeans: {
            S: number | null;
            H: number | null;
            A: number | null;
            R: number | null;
            E: number | null;
        };
        /** @description Points of each bucket; the total is their sum. */
        BucketScores: {
            S: number;
            H: number;
            A: number;
            R: number;
            E: number;
        };
        /** @description A page of what came, moved and went in a release, and the two releases that are compared. */
        ChangeList: {
            /** @description The rows of the page. */
            data: components["schemas"]["ChangeRow"][];
            pagination: components["schemas"]["ListPagination"];
            /** @description The two releases that are compared. */
            _meta: {
                /** @description The release that was asked for. */
                scoreRelease: components["schemas"]["ScoreRelease"];
                /** @description The release it is compared with; null for the first of all, which has no changes. */
                previousRelease: components["schemas"]["ScoreRelease"] | null;
            };
        };
        /** @description One record that came, moved or went, under one public version. */
        ChangeRow: {
            /** @description Id of the record: in the release, or for what went in the one before. */
            id: string;
            /**
             * @description `added`: it came. `moved`: a signal of it has another state. `removed`: it went.
             * @enum {string}
             */
            kind: "added" | "removed" | "moved";
            /** @description The id in the earlier release, where another source spoke for it. */
            previousId: string | null;
            /** @description `<source>/<source-id>`. */
            identifier: string;
            source: string;
            /** @description The source that spoke for it before, where it was another. */
            previousSource: string | null;
            repository: string | null;
            title: string | null;
            /** @description Null for what came. */
            statusBefore: ("scored" | "insufficient_evidence" | "failed") | null;
            /** @description Null for what went. */
            statusAfter: ("scored" | "insufficient_evidence" | "failed") | null;
            totalBefore: number | null;
            totalAfter: number | null;
            /** @description The gain of the total; null where one of the two is null. */
            points: number | null;
            /** @description The causes of what moved, joined by spaces; empty for what came or went. `diff` has their meaning. */
            causes: string;
            /** @description The reason that it came or went; `tombstone` where its source withdrew it. Null for what moved. */
            reason: ("new" | "source_added" | "split" | "returned" | "tombstone" | "not_dataset" | "merged" | "source_gone" | "lost") | null;
        };
        /** @description A page of a list, where it stands in it, and the release it is from. */
        CountryList: {
            /** @description The rows of the page. */
            data: components["schemas"]["CountryRow"][];
            pagination: components["schemas"]["ListPagination"];
            _meta: components["schemas"]["Meta"];
        };
        /** @description One country, by reported affiliations. */
        CountryRow: {
            /** @description ISO 3166-1 alpha-3. */
            countryCode: string;
            /** @description Short English name. */
            name: string;
            /** @description Reported affiliations in it. */
            institutionCount: number;
            /** @description Records attributed to it, each once; a record may count in several rows. */
            recordCount: number;
            /** @description Those of them that are scored, and so are in the means. */
            scoredCount: number;
            /** @description Mean total of the scored records. */
            meanScore: number | null;
            /** @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against. */
            meanCap: number | null;
            /** @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other. */
            passedOfEvaluable: number | null;
            bucketMeans: components["schemas"]["BucketMeans"];
            scoreDistribution: components["schemas"]["ScoreDistribution"];
            totalDistribution: components["schemas"]["TotalDistribution"];
        };
        /** @description Every harvested payload, counted once. */
        Coverage: {
            /** @description All payloads: the sum of the rest. */
            harvested: number;
            /** @description Older payloads of a record that came again. */
            superseded: number;
            /** @description Records of a DOI that another source has as well. */
            duplicates: number;
            /** @description Records withdrawn at their source. */
            tombstones: number;
            /** @description Records of what is not a dataset. */
            notDataset: number;
            /** @description Records that could not be read or scored. */
            failed: number;
            /**
             * @description Records of which too few signals could be judged for a total, under the default version.
             * @default 0
             */
            insufficient: number;
            /** @description Records with a total, under the default version. */
            scored: number;
        };
        /** @description The dataset that is meant. */
        DatasetRequest: {
            /** @description A DOI in any of its forms, `<source>/<source-id>`, an accession such as NCT…, or the address of a landing page. */
            identifier: string;
            /**
             * @description The version to judge by; SHARE 2.0 where it is left out.
             * @enum {string}
             */
            rubricVersion?: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
        };
        /** @description A dataset that was submitted. */
        DatasetSubmission: {
            id: string;
            /** @description The text that was sent, white space around it aside. */
            identifier: string;
            /** @description The source it is to be harvested from. */
            source: string;
            /** @description Its id there. */
            sourceId: string;
            /**
             * @description The version that was asked for. A release scores a dataset under all versions it publishes.
             * @enum {string}
             */
            rubricVersion: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /**
             * @description `queued` until a moderator decides; `accepted` ones join the next harvest of their source.
             * @enum {string}
             */
            state: "queued" | "accepted" | "rejected";
            /** @description The words of the moderator; null where nothing was said. */
            decisionReason: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Null while it is queued. */
            decidedAt: string | null;
            /** @description The moment at which a harvest was done with it; null before. */
            harvestedAt: string | null;
            /** @description The outcome of that: `kept`, `gone` or `refused` by the source, or `known` already; null before. The next release has what was kept. */
            harvestOutcome: string | null;
        };
        /** @description A page of a list, and where it stands in it. */
        DatasetSubmissionList: {
            /** @description The rows of the page, the newest first. */
            data: components["schemas"]["DatasetSubmission"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description It is gone. */
        Deleted: {
            /** @constant */
            deleted: true;
        };
        /** @description The score of a record, with five bit masks over the 25 signals. */
        DetailedScore: {
            /** @description Four points a passed signal. */
            total: number;
            bucketScores: components["schemas"]["BucketScores"];
            /** @constant */
            status: "scored";
            /** @description Signals that the source's pledge maps; bit 0 is S1, bit 24 is E5. */
            supportedMask: number;
            /** @description Signals that could be judged. */
            evaluableMask: number;
            /** @description Signals that were judged and are there. */
            passedMask: number;
            /** @description Pledged signals whose field the payload did not carry. */
            sourceMissingMask: number;
            /** @description Signals whose field could not be read. */
            failedMask: number;
        };
        /** @description A dispute of one's own. */
        Dispute: {
            id: string;
            recordId: string;
            /**
             * @description The contract that the signal was judged by.
             * @enum {string}
             */
            contract: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /** @description The signal that is said to be wrong. */
            signal: string;
            /** @description Its state in the release that was disputed. */
            publishedState: components["schemas"]["SignalState"];
            /** @description The release that was disputed. */
            release: components["schemas"]["ScoreRelease"];
            /**
             * @description The truth in the eyes of who disputes: the dataset has it, has it not, or nobody can know.
             * @enum {string}
             */
            says: "present" | "absent" | "unknown";
            /**
             * @description `creator`: of who has an approved claim of one of the record's creators. `repository`: of who speaks for the repository, which a moderator judges.
             * @enum {string}
             */
            role: "creator" | "repository";
            evidenceUrl: string | null;
            evidence: string | null;
            statement: string | null;
            /**
             * @description `open` until a moderator answers or it is taken back; then what was answered, until a moderator corrects it, or `withdrawn`, for good.
             * @enum {string}
             */
            state: "open" | "upheld" | "rejected" | "source_must_mend" | "withdrawn";
            /** @description The sentence of the moderator; null while it is open. */
            answer: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Null while it is open. */
            answeredAt: string | null;
            /** @description The moment at which a moderator put this answer in the place of another; null where it is the first one. */
            correctedAt: string | null;
            /** @description The release in which the signal has another state since; null where a moderator has named none. */
            mendedIn: components["schemas"]["ScoreRelease"] | null;
            /** @description The record as the active release lists it under SHARE 2.0; null where it does not. */
            record: components["schemas"]["RecordRow"] | null;
        };
        /** @description A page of a list, and where it stands in it. */
        DisputeList: {
            /** @description The rows of the page, the newest first. */
            data: components["schemas"]["Dispute"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A signal that is said to be wrong, and what shows it. */
        DisputeRequest: {
            /** @description Id of a record; never a DOI. */
            recordId: string;
            /**
             * @description The version it was judged under; SHARE 2.0 where left out.
             * @enum {string}
             */
            rubricVersion?: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /** @description The signal that is said to be wrong. */
            signal: string;
            /**
             * @description The truth in the eyes of who disputes: the dataset has it, has it not, or nobody can know.
             * @enum {string}
             */
            says: "present" | "absent" | "unknown";
            /**
             * @description `creator`: of who has an approved claim of one of the record's creators. `repository`: of who speaks for the repository, which a moderator judges.
             * @default creator
             * @enum {string}
             */
            role: "creator" | "repository";
            /**
             * Format: uri
             * @description Address of a page that shows it, http or https.
             */
            evidenceUrl?: string;
            /** @description The evidence in words; this or an address must be given. */
            evidence?: string;
            /** @description More for the moderator; who speaks for a repository says here how that can be checked. */
            statement?: string;
        };
        /** @description The score of metadata that are not deposited yet. Nothing of them is kept. */
        DraftResult: {
            /** @description The score that the draft would have if it were deposited as it is. */
            draft: {
                source: string;
                /**
                 * @description The version, as it was asked for.
                 * @enum {string}
                 */
                rubric: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
                /**
                 * @description The contract that was judged by.
                 * @enum {string}
                 */
                contract: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
                /**
                 * Format: date
                 * @description The day embargoes are judged by.
                 */
                asOf: string;
                record: components["schemas"]["RecordDetail"];
                /** @description Everything that the score rests on besides the payload. With the evidence of the signals it is enough to come to every state, mask and point again. */
                basis: {
                    /**
                     * Format: date
                     * @description The day that embargoes are judged by.
                     */
                    asOf: string;
                    /** @description The contract that was judged by: `GET /rubrics/{id}` answers its rules under the same digest. */
                    contract: {
                        /** @enum {string} */
                        id: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
                        /** @description `sha256:` and 64 hexadecimal digits. */
                        digest: string;
                    };
                    /** @description The pledge of the source; the signals it supports are those of `supportedMask`. */
                    pledge: {
                        source: string;
                        /** @description Digest of the pledge as `data/pledges.json` of a release has it. */
                        digest: string;
                        /** @description The columns of evidence that this source can never carry: inside an `or` they read 0. */
                        neverCarries: components["schemas"]["EvidenceName"][];
                    };
                    /** @description The decisions of the release beside the contracts; it is among the inputs of the digest. */
                    policy: {
                        /** @description Signals that must have been judged for a dataset to have a total; below, `insufficient_evidence`. */
                        leastEvaluable: number;
                    };
                    /** @description The reader that made evidence of the payload; null where the release it is from does not say. */
                    reader: {
                        /** @description Goes up with every change after which a payload is read in another way. */
                        version: number;
                        /** @description Over the files of the normaliser, of what all normalisers read with, and of the word lists. */
                        digest: string;
                    } | null;
                    /** @description The columns of evidence that the payload carried and that could not be read. */
                    unreadable: components["schemas"]["EvidenceName"][];
                };
                /** @description The ways to add points, the depositor's own part first. */
                improvements: components["schemas"]["Improvement"][];
            };
        };
        /** @description A badge as shields.io takes it from an endpoint. */
        EndpointBadge: {
            /**
             * @description Version of the schema of shields.io.
             * @constant
             */
            schemaVersion: 1;
            /** @description Text of the left half. */
            label: string;
            /** @description Text of the right half. */
            message: string;
            /** @description Ground of the right half, by tier. */
            color: string;
            /** @description Ground of the left half. */
            labelColor: string;
            /**
             * @description Form of the badge, where one is asked for.
             * @enum {string}
             */
            style?: "flat" | "flat-square" | "plastic" | "for-the-badge" | "social";
            /** @description Seconds for which it need not be asked for again. */
            cacheSeconds: number;
        };
        /** @description The score of one record, as of now. */
        Evaluation: {
            /** @description Opaque; the same payload under the same contract on the same day has the same one. */
            id: string;
            /** @description `<source>/<source-id>` of the record. */
            identifier: string;
            /**
             * @description The version that was asked for.
             * @enum {string}
             */
            rubric: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /**
             * @description The contract that was judged by.
             * @enum {string}
             */
            contract: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            record: components["schemas"]["RecordDetail"];
            /**
             * @description Null in what was kept before evaluations had one, and for releases that do not carry their rules.
             * @default null
             */
            basis: {
                /**
                 * Format: date
                 * @description The day that embargoes are judged by.
                 */
                asOf: string;
                /** @description The contract that was judged by: `GET /rubrics/{id}` answers its rules under the same digest. */
                contract: {
                    /** @enum {string} */
                    id: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
                    /** @description `sha256:` and 64 hexadecimal digits. */
                    digest: string;
                };
                /** @description The pledge of the source; the signals it supports are those of `supportedMask`. */
                pledge: {
                    source: string;
                    /** @description Digest of the pledge as `data/pledges.json` of a release has it. */
                    digest: string;
                    /** @description The columns of evidence that this source can never carry: inside an `or` they read 0. */
                    neverCarries: components["schemas"]["EvidenceName"][];
                };
                /** @description The decisions of the release beside the contracts; it is among the inputs of the digest. */
                policy: {
                    /** @description Signals that must have been judged for a dataset to have a total; below, `insufficient_evidence`. */
                    leastEvaluable: number;
                };
                /** @description The reader that made evidence of the payload; null where the release it is from does not say. */
                reader: {
                    /** @description Goes up with every change after which a payload is read in another way. */
                    version: number;
                    /** @description Over the files of the normaliser, of what all normalisers read with, and of the word lists. */
                    digest: string;
                } | null;
                /** @description The columns of evidence that the payload carried and that could not be read. */
                unreadable: components["schemas"]["EvidenceName"][];
            } | null;
            /** Format: date-time */
            evaluatedAt: string;
            /** @description The release that the record is published in; null for what was fetched and scored now. */
            release: components["schemas"]["ScoreRelease"] | null;
        };
        /** @description An evaluation that is done in its own time. */
        EvaluationJob: {
            /** @description Opaque, and not to be guessed: whoever has it can read the job. */
            id: string;
            /**
             * @description `queued`, `running`, then `succeeded` or `failed` for good; back to `queued` where it has to be tried again.
             * @enum {string}
             */
            status: "queued" | "running" | "succeeded" | "failed";
            /** @description The dataset it is of, in one spelling: `doi:10.…`, or `<source>/<source-id>`. */
            identifier: string;
            /**
             * @description The version that was asked for.
             * @enum {string}
             */
            rubricVersion: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /** Format: date-time */
            createdAt: string;
            /** @description The moment at which work on it first began. */
            startedAt: string | null;
            /** @description The moment at which it succeeded or failed; it is kept for 30 days from then. */
            finishedAt: string | null;
            /** @description The number of times that work on it has begun. */
            attempts: number;
            /** @description Null unless it succeeded. */
            result: components["schemas"]["EvaluationResult"] | null;
            /** @description The reason that it failed; null unless it did. */
            error: components["schemas"]["Problem"] | null;
        };
        /** @description The dataset to be evaluated, and the version to judge by. */
        EvaluationRequest: {
            /** @description A DOI in any of its forms, `<source>/<source-id>`, an accession such as NCT…, or the address of a landing page. */
            identifier: string;
            /**
             * @description The version to judge by.
             * @enum {string}
             */
            rubricVersion: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
        };
        /** @description The record as it was fetched and scored now. */
        EvaluationResult: {
            evaluation: components["schemas"]["Evaluation"];
        };
        /** @enum {string} */
        EvidenceName: "keyword_count" | "subject_count" | "contributor_count" | "contributor_role_count" | "place_count" | "coverage_date_count" | "ethics_length" | "description_length" | "methods_length" | "reference_count" | "reference_pid_count" | "creator_count" | "person_creator_count" | "creator_pid_count" | "organization_pid_count" | "access_declared" | "access_open" | "embargo_active" | "license_text" | "license_spdx" | "license_permissive" | "license_open" | "file_count" | "open_format_file_count" | "inspectable_file_count" | "documentation_file_count" | "code_file_count" | "manifest_file_count" | "descriptive_filename_count" | "linked_code_count" | "view_count" | "download_count" | "citation_count" | "derivative_count" | "mention_count" | "funder_count" | "award_count" | "publication_link_count" | "data_link_count" | "related_identifier_count" | "version_stated" | "venue_stated";
        /** @description One gate before activation, and how the release stood it. */
        Gate: {
            /** @enum {string} */
            gate: "coverage" | "caps" | "completeness" | "lost" | "failed" | "drift" | "harvested" | "records";
            /** @description Null where it is of the whole release. */
            source: string | null;
            rubric: components["schemas"]["PublicVersion"] | null;
            passed: boolean;
            /** @description The value that was found, and the bound. */
            detail: string;
        };
        /** @description A sign that the server answers. */
        Health: {
            /** @constant */
            status: "ok";
            /** @description The release that is served; null where none is yet. */
            release: string | null;
            /**
             * @description Stale while it cannot be read who asked to be hidden; who was known to have asked stays hidden.
             * @enum {string}
             */
            hiddenResearchers: "current" | "stale";
        };
        /** @description One place in the metadata, and what filling it in would bring. */
        Improvement: {
            /** @description Null where it is not known whether they are missing. */
            points: number | null;
            adviceFor: ("depositor" | "repository" | "data centre") | null;
            effort: ("record" | "version" | "files") | null;
            /** @description The place in the source's own metadata that it is read from. */
            field: string;
            signals: {
                id: string;
                name: string;
                state: components["schemas"]["SignalState"];
            }[];
            advice: string[];
        };
        /** @description A page of a list, where it stands in it, and the release it is from. */
        InstitutionList: {
            /** @description The rows of the page. */
            data: components["schemas"]["InstitutionRow"][];
            pagination: components["schemas"]["ListPagination"];
            _meta: components["schemas"]["Meta"];
        };
        /** @description One affiliation as it was reported: not an organisation of a registry, and without an S-Index. */
        InstitutionRow: {
            /** @description SHA-256 of the exact raw affiliation text. */
            id: string;
            /** @description The text, made fit for display. */
            label: string;
            /** @description The country that the text, or its ROR id, names; null where it names none. */
            countryCode: string | null;
            /** @description Researchers who reported it. */
            authorCount: number;
            /** @description Records attributed to it, each once; a record may count in several rows. */
            recordCount: number;
            /** @description Those of them that are scored, and so are in the means. */
            scoredCount: number;
            /** @description Mean total of the scored records. */
            meanScore: number | null;
            /** @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against. */
            meanCap: number | null;
            /** @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other. */
            passedOfEvaluable: number | null;
            bucketMeans: components["schemas"]["BucketMeans"];
            scoreDistribution: components["schemas"]["ScoreDistribution"];
            totalDistribution: components["schemas"]["TotalDistribution"];
        };
        /** @description A signed statement that a key was revoked, and what it signed that stays good. */
        KeyRevocation: {
            /** @constant */
            statement: "revoked";
            /** @description The key that was revoked. */
            kid: string;
            /**
             * Format: date-time
             * @description The moment from which it is not trusted: `payloads` are what its publisher had seen by then.
             */
            since: string;
            /** @description The publisher's reason, in one line. */
            reason: string;
            /** @description Digests of the payloads it signed that stay good: all others by this key are refused, whatever date they bear. */
            payloads: string[];
            /**
             * Format: date-time
             * @description The time it was said, by the clock of whoever said it.
             */
            at: string;
            /** @description Digest of the statement before it in the set, its signature included; null in the first. */
            before: string | null;
            /** @description A detached JWS over the other members, as that of a receipt, of the type `share-release-key-revocation`. */
            signature: string;
        };
        /** @description A signed statement that a key was replaced by another. */
        KeyRotation: {
            /** @constant */
            statement: "rotated";
            /** @description The key that was replaced. It signs this, and says nothing of other keys from then on. */
            kid: string;
            /** @description The key in its place, which is trusted by whoever trusts the other. */
            to: components["schemas"]["ReleaseKey"];
            /**
             * Format: date-time
             * @description The time it was said, by the clock of whoever said it.
             */
            at: string;
            /** @description Digest of the statement before it in the set, its signature included; null in the first. */
            before: string | null;
            /** @description A detached JWS over the other members, as that of a receipt, of the type `share-release-key-rotation`. */
            signature: string;
        };
        KeyStatement: components["schemas"]["KeyRotation"] | components["schemas"]["KeyRevocation"];
        LinkConsumption: {
            /** @description The 43 characters that follow `#token=` in the link. */
            token: string;
        };
        LinkRequest: {
            /** Format: email */
            email: string;
            /**
             * @description The path of this site to go to afterwards, without `//`, dot segments and `/auth`, however it is encoded.
             * @default /
             */
            returnTo: string;
        };
        /** @description The answer says that a link is on its way, whether or not the address has been seen before. */
        LinkRequested: {
            /** @constant */
            requested: true;
            /** @description Seconds for which the link works. */
            expiresIn: number;
        };
        /** @description The place of a page in its list. */
        ListPagination: {
            /** @description Rows of the whole list. */
            total: number;
            page: number;
            /** @description Most rows of a page. */
            limit: number;
            totalPages: number;
            hasNext: boolean;
            hasPrev: boolean;
            /** @description The `cursor` of the rows that follow; null after the last. Absent where no `cursor` was given. */
            nextCursor?: string | null;
        };
        /** @description Figures of the whole platform, from the active release. */
        LiveMetrics: {
            /** @description Records that are scored, have too little evidence for a total, or failed. */
            totalRecords: number;
            /** @description Researchers with a dataset that has a total. */
            totalAuthors: number;
            /** @description Repository labels there are. */
            repositoryCount: number;
            /** @description Mean total of the scored records. */
            meanShareScore: number | null;
            /** @description Mean of the bucket S. */
            meanStewardship: number | null;
            /** @description Mean of the bucket H. */
            meanHarmonization: number | null;
            /** @description Mean of the bucket A. */
            meanAccess: number | null;
            /** @description Mean of the bucket E. */
            meanEngagement: number | null;
            /** @description Observed use: the mean bucket R of SHARE 1.0, under either version, reported apart from the total of 2.0. */
            meanReuse: number | null;
            /** @description Mean of the bucket R of SHARE 2.0; null under 1.0. */
            meanReusability: number | null;
            /** @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against. */
            meanCap: number | null;
            /** @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other. */
            passedOfEvaluable: number | null;
            /** @description Median total of the scored records. */
            medianShareScore: number | null;
            /** @description Percentage, 0 to 100, of scored records with a total of 70 or more. */
            pctAbove70: number | null;
            /** @description Mean S-Index; researchers known by a name alone are left out. */
            meanSIndex: number | null;
            /** @description Greatest S-Index; researchers known by a name alone are left out. */
            maxSIndex: number | null;
            /** @description Researchers by what tells them from others. A name alone is told apart within one dataset only, so that one person can be many of these. */
            authorsByBasis: {
                orcid: number;
                name_affiliation: number;
                name: number;
            };
            /** @description The bounds at which the quadrants of researchers begin. Researchers known by a name alone have no say in the median. */
            quadrantCutOffs: {
                /** @description Median S-Index of the release; high sharing begins here. */
                sIndex: number | null;
                /** @description High impact begins here. */
                sImpact: number;
                /** @description Below so many datasets a researcher has no quadrant. */
                leastDatasets: number;
            };
            scoreDistribution: components["schemas"]["ScoreDistribution"];
            totalDistribution: components["schemas"]["TotalDistribution"];
            /** @description Records and mean total of each repository. */
            repositoryBreakdown: {
                repository: string;
                /** @description Records. */
                count: number;
                /** @description Those of them that have a total, and so are in the mean. */
                scoredCount: number;
                meanScore: number | null;
                /** @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against. */
                meanCap: number | null;
                /** @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other. */
                passedOfEvaluable: number | null;
                totalDistribution: components["schemas"]["TotalDistribution"];
                /** @description The same by source: one repository is seen through several pledges, and so under several caps. */
                bySource: {
                    source: string;
                    /** @description Records. */
                    count: number;
                    /** @description Those of them that have a total, and so are in the mean. */
                    scoredCount: number;
                    meanScore: number | null;
                    /** @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against. */
                    meanCap: number | null;
                    /** @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other. */
                    passedOfEvaluable: number | null;
                    totalDistribution: components["schemas"]["TotalDistribution"];
                }[];
            }[];
            /** @description The same of records without a repository label; with those of all labels they are all records. */
            withoutRepository: {
                /** @description Records. */
                count: number;
                /** @description Those of them that have a total, and so are in the mean. */
                scoredCount: number;
                meanScore: number | null;
                /** @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against. */
                meanCap: number | null;
                /** @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other. */
                passedOfEvaluable: number | null;
                totalDistribution: components["schemas"]["TotalDistribution"];
                /** @description The same by source: one repository is seen through several pledges, and so under several caps. */
                bySource: {
                    source: string;
                    /** @description Records. */
                    count: number;
                    /** @description Those of them that have a total, and so are in the mean. */
                    scoredCount: number;
                    meanScore: number | null;
                    /** @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against. */
                    meanCap: number | null;
                    /** @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other. */
                    passedOfEvaluable: number | null;
                    totalDistribution: components["schemas"]["TotalDistribution"];
                }[];
            };
            /** @description The records that the figures are of. */
            sampling: {
                /**
                 * @description `census`: every source is known to have given all it says it holds. `as_harvested`: every record that was harvested is counted, and that these are all is not known, or known to be untrue.
                 * @enum {string}
                 */
                method: "census" | "as_harvested";
                /** @description The number of datasets that the figures are a sample of; null where a source does not say how much it holds. */
                frame: string | null;
                /** @description The share of the frame that was got, to four decimals, rounded down; null where that is not known. */
                fraction: number | null;
                bySource: {
                    source: string;
                    /** @description Records the source says it holds; null where it does not say. */
                    expected: number | null;
                    /** @description Records the last harvest of everything got. */
                    got: number | null;
                    /** @description Null where nothing is expected: nothing can be said then. */
                    complete: boolean | null;
                }[];
            };
            release: components["schemas"]["ReleaseExcerpt"];
            _meta: components["schemas"]["Meta"];
        };
        /** @description An evaluation that was kept. */
        Measurement: {
            id: string;
            /** @description The text that was sent, white space around it aside. */
            identifier: string;
            /**
             * @description The version that was asked for.
             * @enum {string}
             */
            rubricVersion: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /** @description Id of the record, whether or not a release lists it. */
            recordId: string;
            repository: string | null;
            title: string | null;
            /** @description The score; null where the record could not be scored. */
            total: number | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The record as it was scored then. */
            evaluation: components["schemas"]["Evaluation"];
        };
        /** @description A page of a list, and where it stands in it. */
        MeasurementList: {
            /** @description The rows of the page, the newest first. */
            data: components["schemas"]["MeasurementRow"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description An evaluation that was kept, in short. */
        MeasurementRow: {
            id: string;
            /** @description The text that was sent, white space around it aside. */
            identifier: string;
            /**
             * @description The version that was asked for.
             * @enum {string}
             */
            rubricVersion: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /** @description Id of the record, whether or not a release lists it. */
            recordId: string;
            repository: string | null;
            title: string | null;
            /** @description The score; null where the record could not be scored. */
            total: number | null;
            /** Format: date-time */
            createdAt: string;
        };
        /** @description The release an answer was made from. */
        Meta: {
            scoreRelease: components["schemas"]["ScoreRelease"];
        };
        /** @description Oldest first, the current release included. */
        MetricsHistory: components["schemas"]["MetricsSnapshot"][];
        /** @description The figures of one release, as they were when it was published. */
        MetricsSnapshot: {
            scoreReleaseVersion: string;
            /** @description `sha256:` and 64 hexadecimal digits. */
            releaseDigest: string;
            /** Format: date-time */
            publishedAt: string;
            rubric: components["schemas"]["PublicVersion"];
            /** @description Records that are scored, have too little evidence for a total, or failed. */
            totalRecords: number;
            /** @description Researchers with a dataset that has a total. */
            totalAuthors: number;
            /** @description Repository labels there are. */
            repositoryCount: number;
            /** @description Mean total of the scored records. */
            meanShareScore: number | null;
            /** @description Mean of the bucket S. */
            meanStewardship: number | null;
            /** @description Mean of the bucket H. */
            meanHarmonization: number | null;
            /** @description Mean of the bucket A. */
            meanAccess: number | null;
            /** @description Mean of the bucket E. */
            meanEngagement: number | null;
            /** @description Observed use: the mean bucket R of SHARE 1.0, under either version, reported apart from the total of 2.0. */
            meanReuse: number | null;
            /** @description Mean of the bucket R of SHARE 2.0; null under 1.0. */
            meanReusability: number | null;
            /**
             * @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against.
             * @default null
             */
            meanCap: number | null;
            /**
             * @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other.
             * @default null
             */
            passedOfEvaluable: number | null;
            /** @description Mean S-Index; researchers known by a name alone are left out. */
            meanSIndex: number | null;
            /** @description Greatest S-Index; researchers known by a name alone are left out. */
            maxSIndex: number | null;
            /** @default null */
            authorsByBasis: {
                orcid: number;
                name_affiliation: number;
                name: number;
            } | null;
            scoreDistribution: components["schemas"]["ScoreDistribution"];
            /** @default null */
            totalDistribution: components["schemas"]["TotalDistribution"] | null;
        };
        /** @description An observed figure; null with the reason where there is none. */
        Outcome: {
            value: number | null;
            /** @enum {string} */
            state: "known" | "source_missing" | "unsupported";
        };
        /** @description The place of a page in its list. */
        Pagination: {
            /** @description Rows of the whole list. */
            total: number;
            page: number;
            /** @description Most rows of a page. */
            limit: number;
            totalPages: number;
            hasNext: boolean;
            hasPrev: boolean;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            errors?: {
                path: string;
                message: string;
            }[];
        };
        /** @description The meaning of a problem. */
        ProblemPage: {
            type: string;
            status: number;
            title: string;
            /** @description A sentence on what a client can do. */
            advice: string;
        };
        /** @description A claim to be a researcher. */
        ProfileClaim: {
            id: string;
            /** @description Id of the researcher. */
            authorId: string;
            /** @description Their slug when it was claimed. */
            authorSlug: string;
            /**
             * @description `pending` until a moderator decides; `approved` or `rejected` for good.
             * @enum {string}
             */
            state: "pending" | "approved" | "rejected";
            /** @description The words of the moderator; null where nothing was said. */
            decisionReason: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Null while it is pending. */
            decidedAt: string | null;
            /** @description The researcher as the active release lists them; null where it does not. */
            researcher: components["schemas"]["ResearcherRow"] | null;
        };
        /** @description A page of a list, and where it stands in it. */
        ProfileClaimList: {
            /** @description The rows of the page, the newest first. */
            data: components["schemas"]["ProfileClaim"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The researcher one says to be. */
        ProfileClaimRequest: {
            /** @description Slug of a researcher, as `/authors` shows it. */
            authorSlug: string;
        };
        /**
         * @description A public SHARE version.
         * @enum {string}
         */
        PublicVersion: "2.0" | "1.0";
        /** @description The statement of a release about itself. */
        Receipt: {
            /** @description The as-of date, and a number where the day has several releases. */
            scoreReleaseVersion: string;
            /** @description Over the content: the same inputs give the same digest. */
            releaseDigest: string;
            /** @description Over the manifest, and so over every file. */
            manifestDigest: string;
            /** Format: date-time */
            publishedAt: string;
            /** @description The licence of these data, as an id of SPDX; releases made before they named one say nothing. */
            license?: string;
            /**
             * Format: date
             * @description The day the scores are of.
             */
            asOf: string;
            previousReleaseDigest: string | null;
            rubrics: components["schemas"]["RubricReceipt"][];
            /** @description The contracts, none of them that of a public version, whose scores are in `data/contract-scores` as well; left out where there are none, and so is the table. */
            alsoContracts?: ("1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2")[];
            /** @description Releases made before there was one say nothing: everything had a total. */
            policy?: {
                /** @description Signals that must have been judged for a dataset to have a total; below, `insufficient_evidence`. */
                leastEvaluable: number;
            };
            tool: {
                name: string;
                version: string;
                engine: string;
            };
            sources: components["schemas"]["SourceReceipt"][];
            coverage: components["schemas"]["Coverage"];
            /** @description Input that was no record at all, by reason. */
            refused: {
                [key: string]: number;
            };
            /** @description Null where the release was built without attribution. */
            attribution: {
                complete: boolean;
                records: number;
                attributed: number;
                unattributed: number;
                /** @description The attributed records by the strongest basis of their countries; older releases do not say. */
                byBasis?: {
                    /** @description Records attributed by a ROR id and the dump the build was given. */
                    ror: number;
                    /** @description Records attributed by a field of the payload for the country of an affiliation. */
                    field: number;
                    /** @description Records attributed by the country at the end of the reported text. */
                    text: number;
                    /** @description Records attributed by a state or province there. */
                    region: number;
                };
                /** @description Unattributed records that report no affiliation at all. */
                withoutAffiliation?: number;
                /** @description Unattributed records of whose affiliations none tells its country. */
                withoutCountry?: number;
            } | null;
            /** @description False where the release was built without history. */
            history: boolean;
            /** @description Digests of what the build was given beside the harvest: `ror`, `citations`. */
            enrichments: {
                [key: string]: string;
            };
            /** @description Researchers withheld at their own wish. */
            withheld: {
                count: number;
                /** @description `sha256:` and 64 hexadecimal digits. */
                digest: string;
            };
            /** @description The parts of the digest: the inputs, and the Merkle roots of every table and of the pages. */
            content: {
                inputs: {
                    [key: string]: string;
                };
                tables: {
                    [key: string]: string;
                };
                /** @description The root over the pages of each version and route; pages that name the release are not in it. Releases of format 1, whose pages are single files, have none. */
                pages?: {
                    [key: string]: string;
                };
            };
            /** @description Its result at each gate before activation; releases made before there were any say nothing. */
            gates?: components["schemas"]["Gate"][];
            /** @description The bounds of those gates; older releases do not say. */
            gateLimits?: {
                /** @description Least records of a source, as a share of those it had; what was withdrawn does not count. */
                completeness: number;
                /** @description Most records of a source that may be lost without a word, as a share of those it had. */
                lost: number;
                /** @description Most that the share of a source's records that cannot be read may grow. */
                failed: number;
                /** @description Most points that the mean total of a source may move. */
                drift: number;
                /** @description Least records of a source's first harvest, as a share of those its service said it has. */
                firstHarvested: number;
                /** @description Most records that cannot be read, as a share of a source's first ones. */
                firstFailed: number;
                /** @description Least records of a source that comes for the first time. */
                firstRecords: number;
            };
            /** @description The reason it was activated in spite of a gate, where it was. */
            forced?: string | null;
            signature: string | null;
        };
        /** @description One record that came, went or moved, under one public version. */
        RecordChange: {
            /** @enum {string} */
            kind: "added" | "removed" | "moved";
            rubric: components["schemas"]["PublicVersion"];
            id: string;
            /** @description The id in the earlier release, where another source spoke for it. */
            previousId: string | null;
            identifier: string;
            source: string;
            previousSource: string | null;
            repository: string | null;
            title: string | null;
            /** @description Null for what came. */
            statusBefore: ("scored" | "insufficient_evidence" | "failed") | null;
            /** @description Null for what went. */
            statusAfter: ("scored" | "insufficient_evidence" | "failed") | null;
            totalBefore: number | null;
            totalAfter: number | null;
            /** @description The gain of the total; null where one of the two is null. */
            points: number | null;
            causes: ("source" | "observed_use" | "metadata" | "as_of" | "reading" | "pledge" | "contract" | "policy" | "unknown")[];
            /** @description The reason that it came or went. */
            reason: ("new" | "source_added" | "split" | "returned" | "tombstone" | "not_dataset" | "merged" | "source_gone" | "lost") | null;
            signals: components["schemas"]["SignalChange"][];
        };
        /** @description One dataset with the evidence behind each signal. */
        RecordDetail: {
            /** @description Opaque id of a record: the join key and the canonical address. A DOI never stands for it. */
            id: string;
            /** @description DOI in lower case, without an address. */
            doi: string | null;
            /** @description Label of the repository. */
            repository: string | null;
            /** @description Title. */
            title: string | null;
            /** @description Date of publication, as precise as the source states it. */
            pubDate: string | null;
            /**
             * @description `failed`: identified, but it could not be read or scored. `insufficient_evidence`: read, but too few of its signals could be judged for a total; the receipt of the release says under `policy` how many it takes.
             * @enum {string}
             */
            scoreStatus: "scored" | "insufficient_evidence" | "failed";
            /** @description Null unless the status is `scored`. */
            score: components["schemas"]["DetailedScore"] | null;
            /** @description Equal to `score.total`. */
            shareScore: number | null;
            /** @description The bucket S. */
            stewardshipScore: number | null;
            /** @description The bucket H. */
            harmonizationScore: number | null;
            /** @description The bucket A. */
            accessScore: number | null;
            /** @description The bucket E. */
            engagementScore: number | null;
            /** @description The bucket R of SHARE 1.0, use observed since; null under 2.0. */
            reuseScore: number | null;
            /** @description The bucket R of SHARE 2.0, reusability at the time of deposit; null under 1.0. */
            reusabilityScore: number | null;
            /** @description The five masks, whatever the status: without a total they say what could be judged and what could not. */
            masks: {
                /** @description Signals that the source's pledge maps; bit 0 is S1, bit 24 is E5. */
                supportedMask: number;
                /** @description Signals that could be judged. */
                evaluableMask: number;
                /** @description Signals that were judged and are there. */
                passedMask: number;
                /** @description Pledged signals whose field the payload did not carry. */
                sourceMissingMask: number;
                /** @description Signals whose field could not be read. */
                failedMask: number;
            };
            /** @description `<source>/<source-id>`. */
            identifier: string;
            /** @description Landing page. */
            url: string | null;
            /** @description Kind of record, in the source's own words. */
            recordKind: string | null;
            /** @description Access state, in the source's own words. */
            accessStatus: string | null;
            diseases: string[];
            ageGroups: string[];
            dataTypes: string[];
            /** @description The licence as given. */
            license: string | null;
            /** @description Version, as the source calls it. */
            version: string | null;
            authors: components["schemas"]["Author"][];
            /** @description All 25, in the order of their bits. */
            signals: components["schemas"]["SignalResult"][];
            /** @description The highest total that records of this source can reach. */
            cap: number;
            /** @description Use observed since; under SHARE 2.0 it never enters the total. */
            observedUse: {
                views: number | null;
                downloads: number | null;
                citations: number | null;
            };
            /** @description The origin of the payload. */
            source: {
                name: string;
                identifier: string;
                retrievedAt: string | null;
                /** @description Digest of the payload that was scored. */
                payloadDigest: string;
                pledgeStatus: string;
            };
            /** @description Records of other sources under the same DOI; their ids are redirected here. */
            aliases: {
                /** @description Opaque id of a record: the join key and the canonical address. A DOI never stands for it. */
                id: string;
                identifier: string;
            }[];
        };
        /** @description The answers to disputes of a record. */
        RecordDisputes: {
            /** @description The record, by the id that the active release lists it under. */
            recordId: string;
            /** @description The newest answer first. */
            data: components["schemas"]["AnsweredDispute"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The scores of a dataset's deposit and, apart from them, its use. */
        RecordImpact: {
            /** @description Opaque id of a record: the join key and the canonical address. A DOI never stands for it. */
            id: string;
            rubric: components["schemas"]["PublicVersion"];
            /** @description Points of the buckets; R, as reusability, under SHARE 2.0 only. Null where the record has no total. */
            stewardship: {
                S: number;
                H: number;
                A: number;
                R?: number;
                E: number;
            } | null;
            /** @description Observed use, reported apart: it never enters the total of SHARE 2.0. */
            outcomes: {
                views: components["schemas"]["Outcome"];
                downloads: components["schemas"]["Outcome"];
                citations: components["schemas"]["Outcome"];
                derivatives: components["schemas"]["Outcome"];
                mentions: components["schemas"]["Outcome"];
            };
        };
        /** @description A page of a list, where it stands in it, and the release it is from. */
        RecordList: {
            /** @description The rows of the page. */
            data: components["schemas"]["RecordRow"][];
            pagination: components["schemas"]["ListPagination"];
            _meta: components["schemas"]["Meta"];
        };
        /** @description One dataset with its score, as lists show it. */
        RecordRow: {
            /** @description Opaque id of a record: the join key and the canonical address. A DOI never stands for it. */
            id: string;
            /** @description DOI in lower case, without an address. */
            doi: string | null;
            /** @description Label of the repository. */
            repository: string | null;
            /** @description Title. */
            title: string | null;
            /** @description Date of publication, as precise as the source states it. */
            pubDate: string | null;
            /**
             * @description `failed`: identified, but it could not be read or scored. `insufficient_evidence`: read, but too few of its signals could be judged for a total; the receipt of the release says under `policy` how many it takes.
             * @enum {string}
             */
            scoreStatus: "scored" | "insufficient_evidence" | "failed";
            /** @description Null unless the status is `scored`: what is not known is no zero. */
            score: components["schemas"]["Score"] | null;
            /** @description Equal to `score.total`. */
            shareScore: number | null;
            /** @description The bucket S. */
            stewardshipScore: number | null;
            /** @description The bucket H. */
            harmonizationScore: number | null;
            /** @description The bucket A. */
            accessScore: number | null;
            /** @description The bucket E. */
            engagementScore: number | null;
            /** @description The bucket R of SHARE 1.0, use observed since; null under 2.0. */
            reuseScore: number | null;
            /** @description The bucket R of SHARE 2.0, reusability at the time of deposit; null under 1.0. */
            reusabilityScore: number | null;
        };
        RegistrationRequest: {
            name: string;
            /** Format: email */
            email: string;
            description?: string;
        };
        RegistrationResult: {
            key: string;
            name: string;
            email: string;
            /** Format: date-time */
            createdAt: string;
            message: string;
        };
        /** @description The movements since the release before, and their causes. */
        ReleaseDiff: {
            /** @description The earlier release; null for the first of all, where every record is added. */
            from: {
                /** @description The as-of date, and a number where the day has several releases. */
                scoreReleaseVersion: string;
                /** @description `sha256:` and 64 hexadecimal digits. */
                releaseDigest: string;
                /** Format: date */
                asOf: string;
            } | null;
            to: {
                /** @description The as-of date, and a number where the day has several releases. */
                scoreReleaseVersion: string;
                /** @description `sha256:` and 64 hexadecimal digits. */
                releaseDigest: string;
                /** Format: date */
                asOf: string;
            };
            /** @description The order in which causes were put in one after the other: each has what it moved on top of those before. */
            causes: ("source" | "observed_use" | "metadata" | "as_of" | "reading" | "pledge" | "contract" | "policy" | "unknown")[];
            /** @description False where contracts or pledges of the earlier release are not at hand. */
            attributed: boolean;
            /**
             * @description Sources whose payloads are read by another normaliser or by other word lists than before.
             * @default []
             */
            readers: {
                source: string;
                /** @description Null where the earlier release does not say. */
                before: {
                    /** @description Goes up with every change after which a payload is read in another way. */
                    version: number;
                    /** @description Over the files of the normaliser, of what all normalisers read with, and of the word lists. */
                    digest: string;
                } | null;
                after: {
                    /** @description Goes up with every change after which a payload is read in another way. */
                    version: number;
                    /** @description Over the files of the normaliser, of what all normalisers read with, and of the word lists. */
                    digest: string;
                } | null;
            }[];
            records: {
                /** @description Records in the earlier release. */
                before: number;
                /** @description Records in the later release. */
                after: number;
                added: number;
                removed: number;
            };
            /** @description The reasons that records came and went. */
            reasons: {
                /** @enum {string} */
                kind: "added" | "removed" | "moved";
                /** @enum {string} */
                reason: "new" | "source_added" | "split" | "returned" | "tombstone" | "not_dataset" | "merged" | "source_gone" | "lost";
                records: number;
            }[];
            rubrics: {
                rubric: components["schemas"]["PublicVersion"];
                contractBefore: ("1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2") | null;
                /** @enum {string} */
                contractAfter: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
                /** @description Records with a signal in another state. */
                moved: number;
                /** @description Those whose total rose. */
                up: number;
                /** @description Those whose total fell. */
                down: number;
                /** @description Mean total of the scored records. */
                meanBefore: number | null;
                meanAfter: number | null;
                /** @description Points gained and lost by each cause. */
                byCause: {
                    /** @enum {string} */
                    cause: "source" | "observed_use" | "metadata" | "as_of" | "reading" | "pledge" | "contract" | "policy" | "unknown";
                    records: number;
                    signals: number;
                    gained: number;
                    lost: number;
                }[];
                /** @description The same by signal. */
                bySignal: {
                    signal: string;
                    /** @enum {string} */
                    cause: "source" | "observed_use" | "metadata" | "as_of" | "reading" | "pledge" | "contract" | "policy" | "unknown";
                    records: number;
                    points: number;
                }[];
                /** @description Researchers whose figures moved, who came and who went. */
                researchers: {
                    /** @description S-Index rose. */
                    up: number;
                    /** @description S-Index fell. */
                    down: number;
                    sImpactUp: number;
                    sImpactDown: number;
                    tierUp: number;
                    tierDown: number;
                    /** @description Researchers who moved from one quadrant to another, to none or from none. */
                    quadrantMoved: number;
                    added: number;
                    removed: number;
                };
            }[];
            sources: {
                source: string;
                rubric: components["schemas"]["PublicVersion"];
                /** @description Records in the earlier release. */
                before: number;
                /** @description Records in the later release. */
                after: number;
                added: number;
                removed: number;
                /** @description Records with a signal in another state. */
                moved: number;
                /** @description Those whose total rose. */
                up: number;
                /** @description Those whose total fell. */
                down: number;
                /** @description Mean total of the scored records. */
                meanBefore: number | null;
                meanAfter: number | null;
            }[];
            /** @description The records that moved most, at most 100 a public version. */
            largest: components["schemas"]["RecordChange"][];
            /** @description At most 100 a public version, best first. */
            added: components["schemas"]["RecordChange"][];
            /** @description At most 100 a public version, best first. */
            removed: components["schemas"]["RecordChange"][];
            /** @description Those whose figures moved most, at most 100 a public version. */
            researchers: components["schemas"]["ResearcherChange"][];
            /** @description The whole of it: files of the later release. */
            files: string[];
        };
        /** @description The release that figures are from, with the rubric they are under and what was harvested. */
        ReleaseExcerpt: {
            /** @description The as-of date, and a number where the day has several releases. */
            scoreReleaseVersion: string;
            /** @description `sha256:` and 64 hexadecimal digits. */
            releaseDigest: string;
            /** Format: date-time */
            publishedAt: string;
            /** Format: date */
            asOf: string;
            rubric: components["schemas"]["RubricReceipt"];
            coverage: components["schemas"]["Coverage"];
        };
        /** @description A public Ed25519 key. */
        ReleaseKey: {
            /** @constant */
            kty: "OKP";
            /** @constant */
            crv: "Ed25519";
            /** @description The public key, 32 bytes in base64url. */
            x: string;
            /** @description Names the key: the `kid` of a receipt's signature. */
            kid: string;
            /** @constant */
            alg: "EdDSA";
            /** @constant */
            use: "sig";
        };
        /** @description Public keys that receipts are signed with, those no longer in use included, and what was said of them. */
        ReleaseKeys: {
            keys: components["schemas"]["ReleaseKey"][];
            /**
             * @description Statements that keys were replaced or revoked, oldest first. Each names the one before it, so that none can be taken out unseen.
             * @default []
             */
            statements: components["schemas"]["KeyStatement"][];
        };
        /** @description All finished releases, newest first. */
        ReleaseList: components["schemas"]["ReleaseSummary"][];
        /** @description One release, in short. */
        ReleaseSummary: {
            /** @description The as-of date, and a number where the day has several releases. */
            scoreReleaseVersion: string;
            /** @description `sha256:` and 64 hexadecimal digits. */
            releaseDigest: string;
            /** Format: date-time */
            publishedAt: string;
            /** Format: date */
            asOf: string;
            previousReleaseDigest: string | null;
            rubrics: components["schemas"]["RubricReceipt"][];
            coverage: components["schemas"]["Coverage"];
            /** @description True of the one that answers now. */
            active: boolean;
            /** @description Address of its receipt. */
            receipt: string;
            /**
             * @description The statement that it was withdrawn; null mostly.
             * @default null
             */
            retraction: {
                /** @description The release that was withdrawn. It stays as it is, and can be verified. */
                releaseDigest: string;
                /** @description The publisher's reason, in one line. */
                reason: string;
                /** Format: date-time */
                retractedAt: string;
                /** @description A detached JWS over the other members, as that of a receipt, of the type `share-release-retraction`. */
                signature: string;
            } | null;
            /**
             * @description The revocation of its key, where the release is none of what the key signed that stays good; null mostly.
             * @default null
             */
            keyRevoked: {
                /** @description The key that it is signed by. */
                kid: string;
                /** Format: date-time */
                since: string;
                /** @description The publisher's reason, in one line. */
                reason: string;
            } | null;
        };
        /** @description A researcher whose S-Index, S-Impact, tier or quadrant moved. */
        ResearcherChange: {
            rubric: components["schemas"]["PublicVersion"];
            id: string;
            slug: string;
            name: string;
            sIndexBefore: number;
            sIndexAfter: number;
            sImpactBefore: number;
            sImpactAfter: number;
            tierBefore: ("exceptional" | "strong" | "developing" | "early" | "beginning" | "none") | null;
            tierAfter: ("exceptional" | "strong" | "developing" | "early" | "beginning" | "none") | null;
            quadrantBefore: ("high_sharing_high_impact" | "high_sharing_low_impact" | "low_sharing_high_impact" | "low_sharing_low_impact") | null;
            quadrantAfter: ("high_sharing_high_impact" | "high_sharing_low_impact" | "low_sharing_high_impact" | "low_sharing_low_impact") | null;
            datasetCountBefore: number;
            datasetCountAfter: number;
        };
        /** @description One researcher with their best datasets. */
        ResearcherDetail: {
            id: string;
            name: string;
            /** @description Address of the researcher below `/authors`. */
            slug: string;
            /** @description The one reported most often; empty where none was reported. */
            affiliation: string;
            /** @description Largest k such that k of the datasets have a total of at least k. */
            sIndex: number;
            /** @description The figures that the S-Index rests on, and is to be read with. */
            sIndexBasis: {
                /** @description Datasets with a total, the versions of one counted once: the S-Index is never above it, and grows with it. */
                datasets: number;
                rubric: components["schemas"]["PublicVersion"];
                /** @description Newest day that one of them was retrieved on, or changed at its source where that is not known. */
                date: string | null;
                /** @description Median S-Index of the release's researchers who are known by more than a name. */
                median: number | null;
                /** @description Mean of the highest totals that these datasets can reach at their sources. */
                cap: number | null;
            };
            /** @description Largest k such that k of the datasets have at least k citations; unknown ones do not count. */
            sImpact: number;
            /** @description The number of datasets whose citations are known: an S-Impact of 0 with none known says nothing. */
            citedBasis: {
                /** @description Datasets whose citations are known. */
                known: number;
                /** @description Datasets, also those without a total. */
                datasets: number;
            };
            /** @description Datasets with a total, the versions of one counted once. */
            datasetCount: number;
            /** @description Mean total of the scored datasets. */
            avgScore: number;
            /** @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against. */
            meanCap: number | null;
            /** @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other. */
            passedOfEvaluable: number | null;
            maxScore: number;
            /** @description Equal to `avgScore`. */
            shareScore: number;
            /**
             * @description The mark that tells this researcher from others; the strongest is an ORCID iD, the weakest a name.
             * @enum {string}
             */
            identityBasis: "orcid" | "name_affiliation" | "name";
            orcid: string | null;
            /** @description True where the researcher has claimed this page and the claim was approved. Claims belong to no release: its files always say false. */
            verified: boolean;
            bucketMeans: components["schemas"]["BucketMeans"];
            /** @description High sharing: an S-Index at or above the release's median. High impact: an S-Impact of at least 1. Null below three datasets, or where no citation figure is known; `/metrics/live` has the cut-offs. */
            quadrant: ("high_sharing_high_impact" | "high_sharing_low_impact" | "low_sharing_high_impact" | "low_sharing_low_impact") | null;
            /** @description A name for a range of S-Indices, from 50, 30, 15, 5 and 1 on; to be read with `sIndexBasis`, and null where that has no date. */
            tier: ("exceptional" | "strong" | "developing" | "early" | "beginning" | "none") | null;
            /** @description The best hundred by total, one a version family. */
            datasets: components["schemas"]["RecordRow"][];
        };
        /** @description A page of a list, where it stands in it, and the release it is from. */
        ResearcherList: {
            /** @description The rows of the page. */
            data: components["schemas"]["ResearcherRow"][];
            pagination: components["schemas"]["ListPagination"];
            _meta: components["schemas"]["Meta"];
        };
        /** @description One researcher with their indices. */
        ResearcherRow: {
            id: string;
            name: string;
            /** @description Address of the researcher below `/authors`. */
            slug: string;
            /** @description The one reported most often; empty where none was reported. */
            affiliation: string;
            /** @description Largest k such that k of the datasets have a total of at least k. */
            sIndex: number;
            /** @description The figures that the S-Index rests on, and is to be read with. */
            sIndexBasis: {
                /** @description Datasets with a total, the versions of one counted once: the S-Index is never above it, and grows with it. */
                datasets: number;
                rubric: components["schemas"]["PublicVersion"];
                /** @description Newest day that one of them was retrieved on, or changed at its source where that is not known. */
                date: string | null;
                /** @description Median S-Index of the release's researchers who are known by more than a name. */
                median: number | null;
                /** @description Mean of the highest totals that these datasets can reach at their sources. */
                cap: number | null;
            };
            /** @description Largest k such that k of the datasets have at least k citations; unknown ones do not count. */
            sImpact: number;
            /** @description The number of datasets whose citations are known: an S-Impact of 0 with none known says nothing. */
            citedBasis: {
                /** @description Datasets whose citations are known. */
                known: number;
                /** @description Datasets, also those without a total. */
                datasets: number;
            };
            /** @description Datasets with a total, the versions of one counted once. */
            datasetCount: number;
            /** @description Mean total of the scored datasets. */
            avgScore: number;
            /** @description Mean of the highest totals that these records can reach at their sources: what the mean is to be read against. */
            meanCap: number | null;
            /** @description Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other. */
            passedOfEvaluable: number | null;
            maxScore: number;
            /** @description Equal to `avgScore`. */
            shareScore: number;
            /**
             * @description The mark that tells this researcher from others; the strongest is an ORCID iD, the weakest a name.
             * @enum {string}
             */
            identityBasis: "orcid" | "name_affiliation" | "name";
            orcid: string | null;
        };
        /** @description One contract with its 25 signals: the questions, and the rules they are judged by. */
        Rubric: {
            /** @description The public version, or the contract's own identifier where it has none. */
            version: string;
            /** @enum {string} */
            contract: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /** @description `sha256:` and 64 hexadecimal digits. */
            digest: string;
            /** @enum {string} */
            status: "current" | "superseded" | "historical";
            title: string;
            summary: string;
            /** @description The scores that those under this contract must not be compared with, and the reason; null where there is nothing to say. */
            comparability: string | null;
            signals: components["schemas"]["Signal"][];
            buckets: components["schemas"]["Bucket"][];
            /** @description The five masks, and which signal each bit is. */
            masks: {
                names: string[];
                bitOrder: string[];
            };
            states: {
                /** @enum {string} */
                state: "unsupported" | "source_missing" | "failed" | "not_evaluable" | "absent" | "passed";
                meaning: string;
            }[];
        };
        /** @description The public versions, the current one first. */
        RubricList: components["schemas"]["RubricListEntry"][];
        /** @description One public SHARE version. */
        RubricListEntry: {
            version: components["schemas"]["PublicVersion"];
            /**
             * @description The contract that the version resolves to.
             * @enum {string}
             */
            contract: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /** @description `sha256:` and 64 hexadecimal digits. */
            digest: string;
            /** @enum {string} */
            status: "current" | "superseded" | "historical";
            /** @description True where the active release has scores under it. */
            available: boolean;
            scoredRecords: number;
        };
        /** @description A public version, and the contract it was scored by. */
        RubricReceipt: {
            version: components["schemas"]["PublicVersion"];
            /** @enum {string} */
            contract: "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            /** @description Digest of the contract. */
            digest: string;
            /**
             * @description Records of which too few signals could be judged for a total under this version.
             * @default 0
             */
            insufficient: number;
        };
        /** @description A researcher to be saved. */
        SaveAuthorRequest: {
            /** @description Slug of a researcher, as `/authors` shows it. */
            authorSlug: string;
            /** @description A note of one's own. Left out, an earlier one stays; an empty one removes it. */
            note?: string;
        };
        /** @description A record to be saved. */
        SaveRecordRequest: {
            /** @description Id of a record; never a DOI. */
            recordId: string;
            /** @description A note of one's own. Left out, an earlier one stays; an empty one removes it. */
            note?: string;
        };
        /** @description A researcher one has saved. */
        SavedAuthor: {
            /** @description Names it for DELETE. */
            authorId: string;
            /** @description Their slug of today; null where the researcher has opted out. */
            authorSlug: string | null;
            note: string | null;
            /**
             * Format: date-time
             * @description The moment at which it was saved first.
             */
            savedAt: string;
            /**
             * Format: date-time
             * @description The moment at which it was saved last.
             */
            updatedAt: string;
            /** @description The researcher as the active release lists them under SHARE 2.0; null where it does not. */
            researcher: components["schemas"]["ResearcherRow"] | null;
        };
        /** @description A page of a list, and where it stands in it. */
        SavedAuthorList: {
            /** @description The rows of the page, the newest first. */
            data: components["schemas"]["SavedAuthor"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A record one has saved. */
        SavedRecord: {
            recordId: string;
            note: string | null;
            /**
             * Format: date-time
             * @description The moment at which it was saved first.
             */
            savedAt: string;
            /**
             * Format: date-time
             * @description The moment at which it was saved last.
             */
            updatedAt: string;
            /** @description The record as the active release lists it under SHARE 2.0; null where it does not. */
            record: components["schemas"]["RecordRow"] | null;
        };
        /** @description A page of a list, and where it stands in it. */
        SavedRecordList: {
            /** @description The rows of the page, the newest first. */
            data: components["schemas"]["SavedRecord"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The score of a record. */
        Score: {
            /** @description Four points a passed signal. */
            total: number;
            bucketScores: components["schemas"]["BucketScores"];
            /** @constant */
            status: "scored";
        };
        /** @description Scored records by the eleven ranges of the total. */
        ScoreDistribution: {
            100: number;
            "0-9": number;
            "10-19": number;
            "20-29": number;
            "30-39": number;
            "40-49": number;
            "50-59": number;
            "60-69": number;
            "70-79": number;
            "80-89": number;
            "90-99": number;
        };
        /** @description The release an answer is from: enough to cite it. */
        ScoreRelease: {
            /** @description The as-of date, and a number where the day has several releases. */
            scoreReleaseVersion: string;
            /** @description `sha256:` and 64 hexadecimal digits. */
            releaseDigest: string;
        };
        /** @description The service and its addresses. */
        ServiceIndex: {
            name: string;
            /** @description Version of this API. */
            apiVersion: string;
            /** @description The SHARE version that answers where none is asked for. */
            shareVersion: components["schemas"]["PublicVersion"];
            /** @description Addresses by name; those in braces are templates. */
            links: {
                [key: string]: string;
            };
        };
        /** @description The age and the completeness of the active release, source by source. */
        ServiceStatus: {
            release: {
                /** @description The as-of date, and a number where the day has several releases. */
                scoreReleaseVersion: string;
                /** @description `sha256:` and 64 hexadecimal digits. */
                releaseDigest: string;
                /** Format: date-time */
                publishedAt: string;
                /** Format: date */
                asOf: string;
                coverage: components["schemas"]["Coverage"];
                /** @description Input that was no record at all, by reason. */
                refused: {
                    [key: string]: number;
                };
            };
            sources: {
                source: string;
                /** @description Records the source says it holds, at the last finished harvest. */
                expected: number | null;
                /** @description Records that harvest got. */
                got: number | null;
                /** @description Null where no harvest has been finished. */
                complete: boolean | null;
                oldestRetrieval: string | null;
                newestRetrieval: string | null;
                /** @description The release whose harvest of it was taken again, where a newer one was left out; null mostly. */
                carriedFrom: string | null;
                /** @description Seconds since the newest retrieval. */
                ageSeconds: number | null;
                coverage: components["schemas"]["Coverage"];
                /** @description Input that was no record at all, by reason. */
                refused: {
                    [key: string]: number;
                };
            }[];
        };
        /** @description A place where one is signed in. */
        Session: {
            id: string;
            /**
             * @description The way in which it began.
             * @enum {string}
             */
            method: "orcid" | "mail";
            /** @description The name that the browser gave itself, shortened; null where it did not say. */
            agent: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description The hour in which it was last used.
             */
            seenAt: string;
            /**
             * Format: date-time
             * @description The moment at which it ends unless it is used before: 30 days after it was last used.
             */
            expiresAt: string;
            /** @description True of the session that asks. */
            current: boolean;
        };
        /** @description A page of a list, and where it stands in it. */
        SessionList: {
            /** @description The rows of the page, the newest first. */
            data: components["schemas"]["Session"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The address of the identity provider at which the sign-in goes on. */
        SignInStart: {
            /**
             * Format: uri
             * @description The address to send the browser to, within ten minutes.
             */
            authorizationUrl: string;
        };
        /** @description One of the 25 signals of a contract: a rule over evidence. */
        Signal: {
            id: string;
            bit: number;
            /** @enum {string} */
            bucket: "S" | "H" | "A" | "R" | "E";
            key: string;
            name: string;
            question: string;
            rationale: string;
            /** @description SQL predicate over evidence columns; where it holds, the signal passes. */
            rule: string;
            /** @description The evidence columns the rule reads. */
            needs: components["schemas"]["EvidenceName"][];
            /** @description SQL predicate under which it cannot be judged, or null. */
            notEvaluableWhen: string | null;
            /** @description The FAIR sub-principle it serves. */
            fair: string;
            /** @description A sentence on what a depositor can do. */
            advice: string;
        };
        /** @description One signal moved by one cause. */
        SignalChange: {
            signal: string;
            /** @enum {string} */
            cause: "source" | "observed_use" | "metadata" | "as_of" | "reading" | "pledge" | "contract" | "policy" | "unknown";
            before: components["schemas"]["SignalState"];
            after: components["schemas"]["SignalState"];
            points: number;
        };
        /** @description One of the 25 signals, judged for one record. */
        SignalResult: {
            id: string;
            name: string;
            /** @enum {string} */
            bucket: "S" | "H" | "A" | "R" | "E";
            /** @description Its bit in every mask. */
            bit: number;
            /** @description `absent` is the only state that speaks against the dataset. */
            state: components["schemas"]["SignalState"];
            /** @enum {integer} */
            points: 0 | 4;
            /** @description The path in the source's own payload at which the evidence stands; null for an unsupported signal. */
            field: string | null;
            /** @description The evidence columns that the rule reads and those that its not-evaluable condition reads, as seen; null means not carried by the payload. */
            evidence: {
                [key: string]: number | boolean | string | null;
            };
            /** @description A sentence. Of an absent signal it says what can be done, in the words of the source's own form; of one not known what was not given, as a question without a promise of points; null where passed or unsupported. */
            advice: string | null;
            /** @description The one whose job the advice is; null without advice. */
            adviceFor: ("depositor" | "repository" | "data centre") | null;
            /** @description The effort that the advice takes: `record` (edit it), `version` (a new one) or `files` (new ones); null where nothing can be entered, and for questions. */
            effort: ("record" | "version" | "files") | null;
        };
        /**
         * @description The outcome of judging a signal; `GET /rubrics/{version}` says what each means.
         * @enum {string}
         */
        SignalState: "unsupported" | "source_missing" | "failed" | "not_evaluable" | "absent" | "passed";
        /** @description The user who is signed in from now on. The session is in the cookie. */
        SignedIn: {
            user: components["schemas"]["User"];
            /** @description The path of this site that was asked for when it began. */
            returnTo: string;
        };
        /** @description Nobody is signed in here any more. */
        SignedOut: {
            /** @constant */
            loggedOut: true;
        };
        /** @description The contribution of one source. */
        SourceReceipt: {
            source: string;
            /** @description The reader of its payloads; older releases do not say. */
            reader?: {
                /** @description Goes up with every change after which a payload is read in another way. */
                version: number;
                /** @description Over the files of the normaliser, of what all normalisers read with, and of the word lists. */
                digest: string;
            };
            /** @description Over the names and digests of the raw files read. */
            rawDigest: string;
            /** @description Raw files read. */
            parts: number;
            coverage: components["schemas"]["Coverage"];
            /** @description Input that was no record at all, by reason. */
            refused: {
                [key: string]: number;
            };
            oldestRetrieval: string | null;
            newestRetrieval: string | null;
            /** @description The number that the source says it holds against that which the last finished harvest of all of it got; null where there is none. */
            completeness: {
                /** @description Null where it was not asked for everything, or does not say. */
                expected: number | null;
                got: number;
                /** @description Null where nothing is expected: nothing can be said then. */
                complete: boolean | null;
            } | null;
            /** @description The release whose harvest of this source was taken again, where a newer one was left out. */
            carriedFrom?: string;
        };
        /** @description Scored records by each total there can be: the eleven ranges hold three of them and two by turns. */
        TotalDistribution: {
            0: number;
            4: number;
            8: number;
            12: number;
            16: number;
            20: number;
            24: number;
            28: number;
            32: number;
            36: number;
            40: number;
            44: number;
            48: number;
            52: number;
            56: number;
            60: number;
            64: number;
            68: number;
            72: number;
            76: number;
            80: number;
            84: number;
            88: number;
            92: number;
            96: number;
            100: number;
        };
        /** @description A person with an account. */
        User: {
            id: string;
            /** @description The name that ORCID shows; null where it shows none. */
            name: string | null;
            /** @description The address links are sent to, in lower case; null for who uses ORCID only. */
            email: string | null;
            /** @description ORCID iD, in four groups; null for who signs in by mail only. */
            orcid: string | null;
            /**
             * Format: date-time
             * @description The moment at which they signed in for the first time.
             */
            createdAt: string;
        };
        /** @description A request to be hidden or shown. */
        VisibilityRequest: {
            id: string;
            /** @description Id of the researcher. */
            authorId: string;
            /** @description Their slug when it was claimed. */
            authorSlug: string;
            /**
             * @description `opt_out` asks to be hidden, `opt_in` to be shown again.
             * @enum {string}
             */
            requestType: "opt_out" | "opt_in";
            reason: string | null;
            /**
             * @description `pending` until a moderator decides; `approved` or `rejected` for good.
             * @enum {string}
             */
            state: "pending" | "approved" | "rejected";
            /** @description The words of the moderator; null where nothing was said. */
            decisionReason: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Null while it is pending. */
            decidedAt: string | null;
        };
        /** @description A wish for a researcher's page. */
        VisibilityRequestBody: {
            /** @description Slug of a researcher, as `/authors` shows it. */
            authorSlug: string;
            /**
             * @description `opt_out` asks to be hidden, `opt_in` to be shown again.
             * @enum {string}
             */
            requestType: "opt_out" | "opt_in";
            /** @description The reason, for the moderator. */
            reason?: string;
        };
        /** @description A page of a list, and where it stands in it. */
        VisibilityRequestList: {
            /** @description The rows of the page, the newest first. */
            data: components["schemas"]["VisibilityRequest"][];
            pagination: components["schemas"]["Pagination"];
        };
    };
    responses: {
        /** @description You have this content already. */
        NotModified: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description A parameter is malformed or out of range. */
        InvalidParameter: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unknown or revoked API key. */
        BadApiKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not asked from a page of this site. */
        WrongOrigin: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is nothing at this address. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Dataset not found. */
        DatasetNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Researcher not found. */
        ResearcherNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Repository not found. */
        RepositoryNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Release not found. */
        ReleaseNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The source has no such dataset. */
        NotInSource: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Evaluation job not found. */
        JobNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Session not found. */
        SessionNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description This is not among what is saved. */
        NotSaved: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The selected rubric has no published data. */
        RubricNotPublished: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The account has as many of these as it may. */
        AccountFull: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The cursor is of another release. */
        CursorExpired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The link was used, has expired or never was. */
        LinkUsed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is too large. */
        BodyTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unsupported media type. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The range lies outside the file. */
        RangeNotSatisfiable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The identifier is of no supported source. */
        UnsupportedSource: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests. */
        RateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The source gave no usable answer. */
        SourceUnreachable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The identity provider gave no usable answer. */
        ProviderUnreachable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server is shutting down. */
        Draining: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The source did not answer in time. */
        SourceTooSlow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Internal error. */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not an HTTP request; or: Method not allowed; or: The request took too long to arrive; or: The expectation cannot be met; or: The request's headers are too large; or: The service cannot be reached. */
        AnyRefusal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description Tags of contents you have; 304 where the answer is one of them. */
        IfNoneMatch: string;
        /** @description One range of bytes (RFC 9110). */
        Range: string;
        /** @description The tag of the content that you have a part of; the whole file comes where it has another by now. */
        IfRange: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    records: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
                /** @description Field to order by; ties are broken by id ascending, nulls come last. */
                sortBy?: "id" | "score" | "shareScore" | "S" | "H" | "A" | "R" | "E" | "stewardshipScore" | "harmonizationScore" | "accessScore" | "engagementScore" | "reuseScore" | "reusabilityScore" | "pubDate" | "title";
                /** @description Direction of the order. */
                sortOrder?: "asc" | "desc";
                /** @description In place of `page`, to read a list of any length in order: `*` to begin, then `pagination.nextCursor` of each answer until it is null. It goes on where the answer before ended, in the same release; everything but `limit` and `fields` has to stay as it was. Once another release is active it is 410, and the list is to be begun again. */
                cursor?: string;
                /** @description The rows of these, up to 100 at once, joined by commas; those that nothing has are not among the answer's. `limit` is 100 then, unless it is given. */
                ids?: string;
                /** @description The members of a row to answer with, joined by commas, in any order; all of them where it is left out. A member of a member is named by its path, as in the header line of CSV: `score` is all of the score, `score.total` the total alone. */
                fields?: string;
                /** @description Full-text search on title and DOI. Plain text: case and accents do not matter, all words must match, there are no operators. Without a letter or digit it is no filter. A term that looks like a DOI matches DOIs exactly or by prefix. */
                search?: string;
                /** @description Persistent identifier: `<source>/<source-id>`, a DOI in any of its spellings, an accession, or the address of a landing page. Identifiers of the same dataset at other sources match too; what is no identifier matches nothing. */
                identifier?: string;
                /** @description DOI, in any of its spellings: bare, `doi:`, as an address, percent-encoded, in any case. */
                doi?: string;
                /** @description Label of a repository, in any case. */
                repository?: string;
                /** @description Record kind in the source's own words. */
                recordKind?: string;
                /** @description Exact public disease facet. */
                disease?: string;
                /** @description Exact public age-group facet. */
                ageGroup?: string;
                /** @description Exact public data-type facet. */
                dataType?: string;
                /** @description Access state as the source reports it. */
                accessStatus?: string;
                /** @description Least total; leaves out failed records. */
                minScore?: number;
                /** @description Greatest total; leaves out failed records. */
                maxScore?: number;
                /** @description Least number of signals the source's pledge supports. */
                minSupportedChecks?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, where it stands in it, and the release it is from. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordList"];
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            409: components["responses"]["RubricNotPublished"];
            410: components["responses"]["CursorExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: Too many queries at once; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    record: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of a record: the letter r and 24 hexadecimal digits. Never a DOI. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One dataset with the evidence behind each signal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordDetail"];
                    "application/ld+json": Record<string, never>;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description The id belongs to a record of the same DOI from another source; the answer is at the record that is kept. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["DatasetNotFound"];
            409: components["responses"]["RubricNotPublished"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    impact: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of a record: the letter r and 24 hexadecimal digits. Never a DOI. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scores of a dataset's deposit and, apart from them, its use. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordImpact"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description The id belongs to a record of the same DOI from another source; the answer is at the record that is kept. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["DatasetNotFound"];
            409: components["responses"]["RubricNotPublished"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    authors: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
                /** @description Field to order by; ties are broken by id ascending, nulls come last. */
                sortBy?: "name" | "sIndex" | "sImpact" | "datasetCount" | "avgScore" | "maxScore" | "shareScore";
                /** @description Direction of the order. */
                sortOrder?: "asc" | "desc";
                /** @description In place of `page`, to read a list of any length in order: `*` to begin, then `pagination.nextCursor` of each answer until it is null. It goes on where the answer before ended, in the same release; everything but `limit` and `fields` has to stay as it was. Once another release is active it is 410, and the list is to be begun again. */
                cursor?: string;
                /** @description The rows of these, up to 100 at once, joined by commas; those that nothing has are not among the answer's. `limit` is 100 then, unless it is given. */
                ids?: string;
                /** @description The members of a row to answer with, joined by commas, in any order; all of them where it is left out. A member of a member is named by its path, as in the header line of CSV: `score` is all of the score, `score.total` the total alone. */
                fields?: string;
                /** @description Search in researchers' names. Plain text: case and accents do not matter, all words must match, there are no operators. Without a letter or digit it is no filter. An ORCID iD, in any of its spellings, finds whoever has it. */
                search?: string;
                /** @description ORCID iD, in any of its spellings: with or without hyphens, or as an address. */
                orcid?: string;
                /** @description Least S-Index. */
                minSIndex?: number;
                /** @description Least number of datasets. */
                minDatasets?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, where it stands in it, and the release it is from. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResearcherList"];
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            409: components["responses"]["RubricNotPublished"];
            410: components["responses"]["CursorExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: Too many queries at once; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    author: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Slug of a researcher, as `/authors` shows it. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One researcher with their best datasets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResearcherDetail"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description The name has changed; the answer is at the researcher's slug of today. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["ResearcherNotFound"];
            409: components["responses"]["RubricNotPublished"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    metrics: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Figures of the whole platform, from the active release. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveMetrics"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            409: components["responses"]["RubricNotPublished"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    history: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first, the current release included. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetricsHistory"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            /** @description The selected rubric has no published data; or: The selected release has no historical metrics. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    rubrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public versions, the current one first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RubricList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    rubric: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description A public version, or the exact identifier of a contract. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One contract with its 25 signals: the questions, and the rules they are judged by. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rubric"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    institutions: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
                /** @description Field to order by; ties are broken by id ascending, nulls come last. */
                sortBy?: "label" | "recordCount" | "authorCount" | "meanScore";
                /** @description Direction of the order. */
                sortOrder?: "asc" | "desc";
                /** @description In place of `page`, to read a list of any length in order: `*` to begin, then `pagination.nextCursor` of each answer until it is null. It goes on where the answer before ended, in the same release; everything but `limit` and `fields` has to stay as it was. Once another release is active it is 410, and the list is to be begun again. */
                cursor?: string;
                /** @description The rows of these, up to 100 at once, joined by commas; those that nothing has are not among the answer's. `limit` is 100 then, unless it is given. */
                ids?: string;
                /** @description The members of a row to answer with, joined by commas, in any order; all of them where it is left out. A member of a member is named by its path, as in the header line of CSV: `score` is all of the score, `score.total` the total alone. */
                fields?: string;
                /** @description Search in the sanitised labels of reported affiliations. Plain text: case and accents do not matter, all words must match, there are no operators. Without a letter or digit it is no filter. */
                search?: string;
                /** @description ISO 3166-1 alpha-3 code, in any case. */
                countryCode?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, where it stands in it, and the release it is from. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstitutionList"];
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            /** @description The selected rubric has no published data; or: The selected release has no complete attribution receipt. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: components["responses"]["CursorExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: Too many queries at once; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    geography: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
                /** @description Field to order by; ties are broken by id ascending, nulls come last. */
                sortBy?: "countryCode" | "recordCount" | "meanScore";
                /** @description Direction of the order. */
                sortOrder?: "asc" | "desc";
                /** @description In place of `page`, to read a list of any length in order: `*` to begin, then `pagination.nextCursor` of each answer until it is null. It goes on where the answer before ended, in the same release; everything but `limit` and `fields` has to stay as it was. Once another release is active it is 410, and the list is to be begun again. */
                cursor?: string;
                /** @description The rows of these, up to 100 at once, joined by commas; those that nothing has are not among the answer's. `limit` is 100 then, unless it is given. */
                ids?: string;
                /** @description The members of a row to answer with, joined by commas, in any order; all of them where it is left out. A member of a member is named by its path, as in the header line of CSV: `score` is all of the score, `score.total` the total alone. */
                fields?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, where it stands in it, and the release it is from. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountryList"];
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            /** @description The selected rubric has no published data; or: The selected release has no complete attribution receipt. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: components["responses"]["CursorExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: Too many queries at once; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    datasetBadge: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Form of the badge, by its name at shields.io. */
                style?: "flat" | "flat-square" | "plastic" | "for-the-badge" | "social";
                /** @description Text of the left half in place of the usual one. */
                label?: string;
                /** @description Digest of the release that the figure is to be of; without it the badge follows the active release. A release that the server has no more is 404. */
                release?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of a record: the letter r and 24 hexadecimal digits. Never a DOI. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A dataset's score as a badge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description The id belongs to a record of the same DOI from another source; the answer is at the record that is kept. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Unknown or revoked API key. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Dataset not found; or: Release not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description The selected rubric has no published data. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Too many requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    repositoryBadge: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Form of the badge, by its name at shields.io. */
                style?: "flat" | "flat-square" | "plastic" | "for-the-badge" | "social";
                /** @description Text of the left half in place of the usual one. */
                label?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Exact label of a repository, percent-encoded once. */
                repository: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A repository's mean as a badge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Unknown or revoked API key. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Repository not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description The selected rubric has no published data. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Too many requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    researcherBadge: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Form of the badge, by its name at shields.io. */
                style?: "flat" | "flat-square" | "plastic" | "for-the-badge" | "social";
                /** @description Text of the left half in place of the usual one. */
                label?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Slug of a researcher, as `/authors` shows it. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A researcher's S-Index as a badge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description The name has changed; the answer is at the researcher's slug of today. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Unknown or revoked API key. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Researcher not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description The selected rubric has no published data. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Too many requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    datasetBadgeJson: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Form of the badge, by its name at shields.io. */
                style?: "flat" | "flat-square" | "plastic" | "for-the-badge" | "social";
                /** @description Text of the left half in place of the usual one. */
                label?: string;
                /** @description Digest of the release that the figure is to be of; without it the badge follows the active release. A release that the server has no more is 404. */
                release?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of a record: the letter r and 24 hexadecimal digits. Never a DOI. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A badge as shields.io takes it from an endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointBadge"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description The id belongs to a record of the same DOI from another source; the answer is at the record that is kept. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            /** @description Dataset not found; or: Release not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: components["responses"]["RubricNotPublished"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    repositoryBadgeJson: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Form of the badge, by its name at shields.io. */
                style?: "flat" | "flat-square" | "plastic" | "for-the-badge" | "social";
                /** @description Text of the left half in place of the usual one. */
                label?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Exact label of a repository, percent-encoded once. */
                repository: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A badge as shields.io takes it from an endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointBadge"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["RepositoryNotFound"];
            409: components["responses"]["RubricNotPublished"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    researcherBadgeJson: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Form of the badge, by its name at shields.io. */
                style?: "flat" | "flat-square" | "plastic" | "for-the-badge" | "social";
                /** @description Text of the left half in place of the usual one. */
                label?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Slug of a researcher, as `/authors` shows it. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A badge as shields.io takes it from an endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointBadge"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description The name has changed; the answer is at the researcher's slug of today. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["ResearcherNotFound"];
            409: components["responses"]["RubricNotPublished"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    recordDisputes: {
        parameters: {
            query?: {
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of a record: the letter r and 24 hexadecimal digits. Never a DOI. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answers to disputes of a record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordDisputes"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description The id belongs to a record of the same DOI from another source; the answer is at the record that is kept. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["DatasetNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    releases: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All finished releases, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Draining"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    release: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Digest of a release, written `sha256-<hex>`; the form with a colon is redirected, and `latest` to the active release. */
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statement of a release about itself. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `latest` is the active release: its address has the digest. */
            307: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description In addresses a digest is written with a dash: `sha256-<hex>`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["ReleaseNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    releaseDiff: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Digest of a release, written `sha256-<hex>`; the form with a colon is redirected, and `latest` to the active release. */
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The movements since the release before, and their causes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseDiff"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `latest` is the active release: its address has the digest. */
            307: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description In addresses a digest is written with a dash: `sha256-<hex>`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            /** @description There is nothing at this address; or: Release not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    releaseChanges: {
        parameters: {
            query?: {
                /** @description Public SHARE version of the scores. */
                rubric?: "2.0" | "1.0";
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
                /** @description In place of `page`, to read a list of any length in order: `*` to begin, then `pagination.nextCursor` of each answer until it is null. It goes on where the answer before ended, in the same release; everything but `limit` and `fields` has to stay as it was. It stays good for as long as the release is there; one that `latest` was asked with is 410 once another release is active. */
                cursor?: string;
                /** @description The members of a row to answer with, joined by commas, in any order; all of them where it is left out. A member of a member is named by its path, as in the header line of CSV: `score` is all of the score, `score.total` the total alone. */
                fields?: string;
                /** @description `added`, `moved` or `removed`; all three where it is left out. */
                kind?: "added" | "removed" | "moved";
                /** @description The reason that a record came or went: `tombstone` for what was withdrawn at its source. */
                reason?: "new" | "source_added" | "split" | "returned" | "tombstone" | "not_dataset" | "merged" | "source_gone" | "lost";
                /** @description Name of a source, as receipts have it. */
                source?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Digest of a release, written `sha256-<hex>`; the form with a colon is redirected, and `latest` to the active release. */
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of what came, moved and went in a release, and the two releases that are compared. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeList"];
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `latest` is the active release: its address has the digest. */
            307: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description In addresses a digest is written with a dash: `sha256-<hex>`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is malformed or out of range; or: Unsupported SHARE version. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            /** @description There is nothing at this address; or: Release not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: components["responses"]["RubricNotPublished"];
            410: components["responses"]["CursorExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: Too many queries at once; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    releaseFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description One range of bytes (RFC 9110). */
                Range?: components["parameters"]["Range"];
                /** @description The tag of the content that you have a part of; the whole file comes where it has another by now. */
                "If-Range"?: components["parameters"]["IfRange"];
            };
            path: {
                /** @description Digest of a release, written `sha256-<hex>`; the form with a colon is redirected, and `latest` to the active release. */
                digest: string;
                /** @description Path of a file that the release's manifest names. Its slashes stay as they are. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file of a release. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/json": unknown;
                    "application/x-ndjson": unknown;
                    "text/html": unknown;
                    "application/yaml": unknown;
                    "application/zstd": unknown;
                    "application/octet-stream": unknown;
                };
            };
            /** @description The part that was asked for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/json": unknown;
                    "application/x-ndjson": unknown;
                    "text/html": unknown;
                    "application/yaml": unknown;
                    "application/zstd": unknown;
                    "application/octet-stream": unknown;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `latest` is the active release: its address has the digest. */
            307: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description In addresses a digest is written with a dash: `sha256-<hex>`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            /** @description There is nothing at this address; or: Release not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: Too many queries at once; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    evaluation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvaluationRequest"];
            };
        };
        responses: {
            /** @description One dataset with the evidence behind each signal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordDetail"];
                };
            };
            /** @description The record as it was fetched and scored now. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationResult"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["NotInSource"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnsupportedSource"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["SourceUnreachable"];
            503: components["responses"]["Draining"];
            504: components["responses"]["SourceTooSlow"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    draft: {
        parameters: {
            query?: {
                /** @description The source that the draft is meant for. */
                source?: string;
                /** @description The version to judge by: a public SHARE version, or the exact identifier of a contract. */
                rubricVersion?: "2.0" | "1.0" | "1.0.0" | "2.0.0-beta.1" | "2.0.0-beta.2";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
                "application/xml": string;
            };
        };
        responses: {
            /** @description The score of metadata that are not deposited yet. Nothing of them is kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftResult"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["SourceUnreachable"];
            503: components["responses"]["Draining"];
            504: components["responses"]["SourceTooSlow"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    newEvaluationJob: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvaluationRequest"];
            };
        };
        responses: {
            /** @description An evaluation that is done in its own time. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationJob"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnsupportedSource"];
            /** @description Too many requests; or: Too many evaluations are waiting. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    evaluationJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of a job, as `POST /evaluation-jobs` gave it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An evaluation that is done in its own time. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationJob"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["JobNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    releaseKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Public keys that receipts are signed with, those no longer in use included, and what was said of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseKeys"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Draining"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegistrationRequest"];
            };
        };
        responses: {
            /** @description A key of your own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationResult"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            403: components["responses"]["WrongOrigin"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Too many requests; or: Too many registrations. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    index: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service and its addresses. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceIndex"];
                    "text/html": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Draining"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sign that the server answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Draining"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The age and the completeness of the active release, source by source. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceStatus"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This API as an OpenAPI 3.1 document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiDescription"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Draining"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This API as a page to read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Draining"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    problem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Last segment of the member `type` of a problem document. */
                type: "invalid-parameter" | "invalid-body" | "invalid-request" | "unsupported-rubric" | "sign-in-failed" | "bad-api-key" | "no-session" | "wrong-origin" | "claim-needed" | "not-found" | "dataset-not-found" | "researcher-not-found" | "repository-not-found" | "release-not-found" | "not-in-source" | "job-not-found" | "session-not-found" | "not-saved" | "method-not-allowed" | "request-timeout" | "rubric-not-published" | "history-not-published" | "attribution-not-published" | "duplicate" | "account-full" | "cursor-expired" | "link-used" | "body-too-large" | "unsupported-media-type" | "range-not-satisfiable" | "unsupported-source" | "expectation-failed" | "rate-limited" | "too-many-registrations" | "too-many-links" | "too-many-evaluations" | "headers-too-large" | "source-unreachable" | "provider-unreachable" | "no-release" | "overloaded" | "unavailable" | "draining" | "sign-in-not-configured" | "accounts-unavailable" | "source-too-slow" | "internal";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The meaning of a problem. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemPage"];
                    "text/html": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Draining"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    orcidStart: {
        parameters: {
            query?: {
                /** @description The path of this site to go to afterwards. */
                returnTo?: string;
                /** @description True where the iD is to be added to the account that is signed in, which the page that asks must name. */
                add?: "true" | "false";
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address of the identity provider at which the sign-in goes on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInStart"];
                };
            };
            /** @description The address that a browser that asks for HTML is sent to. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["ProviderUnreachable"];
            /** @description The server is shutting down; or: This way of signing in is not set up; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    orcidCallback: {
        parameters: {
            query?: {
                /** @description The provider's code; it works once. */
                code?: string;
                /** @description The text that tells this sign-in from others. */
                state?: string;
                /** @description The service that answers. */
                iss?: string;
                /** @description The reason that there is no code. */
                error?: string;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user who is signed in from now on. The session is in the cookie. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The address that a browser that asks for HTML is sent to. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            304: components["responses"]["NotModified"];
            /** @description A parameter is malformed or out of range; or: Signing in did not succeed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["ProviderUnreachable"];
            /** @description The server is shutting down; or: This way of signing in is not set up; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    magicPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page that links in mails lead to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    magicRequest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkRequest"];
            };
        };
        responses: {
            /** @description The answer says that a link is on its way, whether or not the address has been seen before. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkRequested"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            403: components["responses"]["WrongOrigin"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Too many requests; or: Too many sign-in links. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["Internal"];
            /** @description Too many queries at once; or: The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    magicConsume: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkConsumption"];
            };
        };
        responses: {
            /** @description The user who is signed in from now on. The session is in the cookie. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["BadApiKey"];
            403: components["responses"]["WrongOrigin"];
            410: components["responses"]["LinkUsed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nobody is signed in here any more. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["BadApiKey"];
            403: components["responses"]["WrongOrigin"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    sessions: {
        parameters: {
            query?: {
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, and where it stands in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a session, as `/account/sessions` shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["SessionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user who is signed in, with the first page of everything that is theirs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    eraseAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    exportAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Everything that is kept of the person who is signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountExport"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    profileClaims: {
        parameters: {
            query?: {
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, and where it stands in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileClaimList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    newProfileClaim: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileClaimRequest"];
            };
        };
        responses: {
            /** @description A claim to be a researcher. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileClaim"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["ResearcherNotFound"];
            /** @description This is there already; or: The account has as many of these as it may. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    withdrawProfileClaim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a claim, as `/account/profile-claims` shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    visibilityRequests: {
        parameters: {
            query?: {
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, and where it stands in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisibilityRequestList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    newVisibilityRequest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VisibilityRequestBody"];
            };
        };
        responses: {
            /** @description A request to be hidden or shown. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisibilityRequest"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not asked from a page of this site; or: An approved claim is needed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["ResearcherNotFound"];
            /** @description This is there already; or: The account has as many of these as it may. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    withdrawVisibilityRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a request, as `/account/visibility-requests` shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    savedRecords: {
        parameters: {
            query?: {
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, and where it stands in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedRecordList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    saveRecord: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveRecordRequest"];
            };
        };
        responses: {
            /** @description A record one has saved. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedRecord"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["DatasetNotFound"];
            409: components["responses"]["AccountFull"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    unsaveRecord: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Member `recordId` of a saved record. */
                recordId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["NotSaved"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    savedAuthors: {
        parameters: {
            query?: {
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, and where it stands in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedAuthorList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    saveAuthor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveAuthorRequest"];
            };
        };
        responses: {
            /** @description A researcher one has saved. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedAuthor"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["ResearcherNotFound"];
            409: components["responses"]["AccountFull"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    unsaveAuthor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Member `authorId` of a saved researcher. */
                authorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["NotSaved"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    datasetSubmissions: {
        parameters: {
            query?: {
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, and where it stands in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetSubmissionList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    newDatasetSubmission: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DatasetRequest"];
            };
        };
        responses: {
            /** @description A dataset that was submitted. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetSubmission"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            /** @description This is there already; or: The account has as many of these as it may. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnsupportedSource"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    datasetSubmission: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of a submission, as `/account/dataset-submissions` shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A dataset that was submitted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetSubmission"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    withdrawDatasetSubmission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a submission, as `/account/dataset-submissions` shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    measurements: {
        parameters: {
            query?: {
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, and where it stands in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeasurementList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    newMeasurement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DatasetRequest"];
            };
        };
        responses: {
            /** @description An evaluation that was kept. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Measurement"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["NotInSource"];
            409: components["responses"]["AccountFull"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnsupportedSource"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["SourceUnreachable"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["SourceTooSlow"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    measurement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of a measurement, as `/account/measurements` shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An evaluation that was kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Measurement"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    deleteMeasurement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a measurement, as `/account/measurements` shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    disputes: {
        parameters: {
            query?: {
                /** @description Number of the page; one past the end is empty. */
                page?: number;
                /** @description Rows of a page. */
                limit?: number;
            };
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of a list, and where it stands in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    newDispute: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeRequest"];
            };
        };
        responses: {
            /** @description A dispute of one's own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispute"];
                };
            };
            /** @description A parameter is malformed or out of range; or: The body is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not asked from a page of this site; or: An approved claim is needed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["DatasetNotFound"];
            /** @description The selected rubric has no published data; or: This is there already; or: The account has as many of these as it may. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description No release is active; or: The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    dispute: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tags of contents you have; 304 where the answer is one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of a dispute, as `/account/disputes` shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A dispute of one's own. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispute"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    withdrawDispute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a dispute, as `/account/disputes` shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description Unknown or revoked API key; or: Not signed in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["WrongOrigin"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description The server is shutting down; or: Accounts cannot be reached. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
}
