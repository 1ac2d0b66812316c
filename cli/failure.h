#pragma once

#include <exception>
#include <string_view>

namespace thinwire::cli {

/// Prints an error's lines and ends all processes where there are several; gives the exit
/// status where this one is alone. Of several that meet the same error one prints it.
int fail(std::string_view text, int code);

/// Prints the text of an exception and returns the exit status of its kind.
int fail(const std::exception_ptr& thrown);

/// Ends the program by fail() where an exception leaves a parallel loop, from which
/// nobody can catch it: memory may run out on any thread.
void fail_where_nothing_catches();

/// Reports that standard output could not be written; errno holds the reason.
int fail_for_stdout();

}  // namespace thinwire::cli
