/** How do the roles of JCA read their configuration, and how do they get threads of the server? */
package org.tasktube.jca;
