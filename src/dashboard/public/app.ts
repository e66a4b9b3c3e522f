/** The dashboard of a running bot. */
