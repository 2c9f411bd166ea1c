/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "config/config-file.h"
#include "model/index.h"

/* What settings are judged by besides themselves. */
struct settings_judge {
	bool first;		   /* there are no settings in force yet */
	const struct index *index; /* the services in force, NULL: none */
	bool ret_clashed;	   /* some were in the way of a service: worth another try later */
};

/*
 * Makes one struct settings of the settings files, given in reading order. The unit of refusal is
 * the file: one that is wrong, by itself or together with the others, is marked refused and its
 * last good text is used, or none. Messages about single files go to their diags, others to d. ret
 * must be empty; origin has n_setting_rows places. ret and origin are of use on success only.
 * -ENOMEM; -EBADMSG when no choice of texts gives settings; -EOPNOTSUPP when `first` is set and the
 * mode asked for is not in this build: to fall back to
 * another would be a guess.
 */
int load_settings(struct config_file *const *files, size_t n, struct settings_judge *judge,
		  struct settings *ret, struct settings_origin *origin, struct diags *d);
